using System.Globalization;
using System.Text;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Serve;

/// <summary>What a server that is ready tells: where it is, who may use it, and lines to copy.</summary>
internal static class ServePrinter
{
    /// <summary>As JSON.</summary>
    public static ServeLine ToLine(TransferServer server, TransferHostOptions options) => new()
    {
        Address = Text(server.Address),
        Http2 = server.Http2Address is { } http2 ? Text(http2) : null,
        Grpc = server.Http2Address is { } grpc ? Text(grpc) : null,
        GrpcWeb = Text(server.Address),
        Files = Files(server, options),
        Uploads = Text(server.Address) + options.Endpoints.UploadsPath,
        Folder = Path.GetFullPath(options.Folder),
        NeedsToken = server.NeedsToken,
        Pid = Environment.ProcessId,
        Note = server.Note,
    };

    /// <summary>For a person.</summary>
    public static string Describe(TransferServer server, TransferHostOptions options)
    {
        string files = Files(server, options);
        string curlToken = server.NeedsToken ? "-H \"Authorization: Bearer $MILLRACE_TOKEN\" " : "";
        var text = new StringBuilder();
        text.AppendLine($"Serving {Path.GetFullPath(options.Folder)} at {files}");
        text.AppendLine(Grpc(server));
        if (server.Note is { } note)
        {
            text.AppendLine(note);
        }

        text.AppendLine(Access(server, options));
        text.AppendLine($"  put:  millrace put FILE {files}");
        text.AppendLine($"        curl {curlToken}-T FILE {files}");
        text.AppendLine($"  get:  millrace get {files}NAME");
        text.AppendLine($"        curl {curlToken}-O {files}NAME");
        text.Append(CultureInfo.InvariantCulture, $"Ctrl-C stops it; transfers that run have {options.Grace.TotalSeconds:0.#} s to finish.");
        return text.ToString();
    }

    private static string Grpc(TransferServer server) => server.Http2Address switch
    {
        null => $"gRPC-Web is at {Text(server.Address)}; gRPC needs HTTP/2, which is not offered.",
        var http2 when http2 == server.Address => $"gRPC and gRPC-Web are at {Text(server.Address)}.",
        var http2 => $"HTTP/2 without TLS and gRPC are at {Text(http2)}, gRPC-Web is at {Text(server.Address)}.",
    };

    private static string Access(TransferServer server, TransferHostOptions options)
    {
        if (!server.NeedsToken)
        {
            return options.Insecure
                ? "No token is needed: everybody who reaches it can read, replace and delete everything."
                : "Only this machine reaches it, and no token is needed.";
        }

        string clear = options.CertificatePath is null && !server.Address.IsLoopback
            ? " Without TLS (--cert) tokens and files can be read on the way."
            : "";
        return "A token is needed, in MILLRACE_TOKEN for these lines; 'millrace token add' makes one." + clear;
    }

    private static string Files(TransferServer server, TransferHostOptions options) =>
        Text(server.Address) + options.Endpoints.FilesPath + "/";

    private static string Text(Uri address) => address.GetLeftPart(UriPartial.Authority);
}

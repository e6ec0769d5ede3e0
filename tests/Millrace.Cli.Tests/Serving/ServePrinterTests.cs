using Millrace.Transfer.Server;

namespace Millrace.Cli.Tests.Serving;

/// <summary>The text for people when a server is ready.</summary>
public sealed class ServePrinterTests : FolderTests
{
    private static async Task<(string Text, Uri Address)> DescribeAsync(TransferHostOptions options)
    {
        await using TransferServer server = await TransferServer.StartAsync(options);
        string text = ServePrinter.Describe(server, options);
        await server.StopAsync();
        return (text, server.Address);
    }

    [Fact]
    public async Task Suggested_commands_use_the_actual_port()
    {
        (string text, Uri address) = await DescribeAsync(
            new TransferHostOptions { Folder = Folder.Path, Port = 0, OfferHttp2Port = false });

        string files = $"http://127.0.0.1:{address.Port}/files/";
        Assert.Equal(
            [
                $"Serving {Folder.Path} at {files}",
                $"gRPC-Web is at http://127.0.0.1:{address.Port}; gRPC needs HTTP/2, which is not offered.",
                "Reachable from this machine only; no token is needed.",
                $"  put:  millrace put FILE {files}",
                $"        curl -T FILE {files}",
                $"  get:  millrace get {files}NAME",
                $"        curl -O {files}NAME",
                "Ctrl-C stops it; running transfers have 30 s to finish.",
            ],
            text.Split(Environment.NewLine));
    }

    [Fact]
    public async Task Grpc_has_the_address_of_http2()
    {
        var options = new TransferHostOptions { Folder = Folder.Path, Port = 0, Http2Port = 0 };
        await using TransferServer server = await TransferServer.StartAsync(options);
        string text = ServePrinter.Describe(server, options);
        ServeLine line = ServePrinter.ToLine(server, options);

        string grpc = $"http://127.0.0.1:{server.Http2Address!.Port}";
        string web = $"http://127.0.0.1:{server.Address.Port}";
        Assert.Contains($"HTTP/2 without TLS and gRPC are at {grpc}, gRPC-Web is at {web}.", text, StringComparison.Ordinal);
        Assert.Equal((grpc, grpc, web), (line.Http2, line.Grpc, line.GrpcWeb));
    }

    [Fact]
    public async Task Without_http2_there_is_no_grpc()
    {
        var options = new TransferHostOptions { Folder = Folder.Path, Port = 0, OfferHttp2Port = false };
        await using TransferServer server = await TransferServer.StartAsync(options);
        ServeLine line = ServePrinter.ToLine(server, options);

        Assert.Null(line.Grpc);
        Assert.Equal($"http://127.0.0.1:{server.Address.Port}", line.GrpcWeb);
    }

    [Fact]
    public async Task Tokens_are_explained_and_missing_TLS_is_reported()
    {
        await new TokenStore(TokenStore.DefaultPath(Folder.Path)).AddAsync("one", TransferScope.All);
        (string text, _) = await DescribeAsync(
            new TransferHostOptions { Folder = Folder.Path, Port = 0, OfferHttp2Port = false, Host = "0.0.0.0" });

        Assert.Contains("A token is needed", text, StringComparison.Ordinal);
        Assert.Contains("curl -H \"Authorization: Bearer $MILLRACE_TOKEN\" -T FILE", text, StringComparison.Ordinal);
        Assert.Contains("Without TLS (--cert)", text, StringComparison.Ordinal);
    }
}

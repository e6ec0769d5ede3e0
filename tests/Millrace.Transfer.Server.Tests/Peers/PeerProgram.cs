extern alias Peer;

using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>A client with another implementation of gRPC: a program, which eng/grpc.sh builds, or one of .NET in this process.</summary>
internal sealed class PeerProgram
{
    private static readonly string Scripts = Path.Combine(Repository.Root, "tests", "interop", "grpc");

    private readonly string? _library;
    private readonly string _program = "";
    private readonly string[] _first = [];

    private PeerProgram(string name)
    {
        if (Libraries.Contains(name))
        {
            _library = name;
            return;
        }

        (_program, _first) = name switch
        {
            "Python" => ("/usr/bin/python3", (string[])[Path.Combine(Scripts, "python", "peer.py")]),
            "grpc-js" => ("node", [Path.Combine(Scripts, "node", "peer.mjs")]),
            _ => throw new ArgumentOutOfRangeException(nameof(name), name, null),
        };
    }

    /// <summary>Those of .NET.</summary>
    public static IReadOnlyList<string> Libraries { get; } =
        [GrpcDotNetClient.Http2, GrpcDotNetClient.Web, GrpcDotNetClient.WebText, GrpcDotNetClient.Core];

    public static IReadOnlyList<string> Names { get; } = ["Python", "grpc-js", .. Libraries];

    public static bool IsWeb(string name) => name is GrpcDotNetClient.Web or GrpcDotNetClient.WebText;

    public static PeerProgram Of(string name) => new(name);

    /// <summary>Runs one command; the lines of JSON that it printed.</summary>
    public async Task<IReadOnlyList<JsonElement>> RunAllAsync(Uri server, string command, params string[] options)
    {
        if (_library is not null)
        {
            IReadOnlyList<string> lines = await GrpcDotNetClient.RunAsync(_library, server, command, options);
            return [.. lines.Select(static line => JsonDocument.Parse(line).RootElement)];
        }

        ForeignProgram.Result result = await ForeignProgram.RunAsync(
            Scripts, _program, [.. _first, command, "--server", server.Authority, .. options]);
        return
        [
            .. result.Succeeded().Output.Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(static line => JsonDocument.Parse(line).RootElement),
        ];
    }

    /// <summary>Runs one command that prints one line.</summary>
    public async Task<JsonElement> RunAsync(Uri server, string command, params string[] options) =>
        Assert.Single(await RunAllAsync(server, command, options));
}

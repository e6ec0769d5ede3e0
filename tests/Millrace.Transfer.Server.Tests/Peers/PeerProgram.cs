namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>A program with another implementation of gRPC; eng/grpc.sh builds them.</summary>
internal sealed class PeerProgram
{
    private static readonly string Built = Path.Combine(Repository.Root, "artifacts", "grpc");
    private static readonly string Scripts = Path.Combine(Repository.Root, "tests", "interop", "grpc");

    private readonly string _program;
    private readonly string[] _first;

    private PeerProgram(string name)
    {
        (_program, _first) = name switch
        {
            "C++" => (Path.Combine(Built, "millrace_grpc_core"), Array.Empty<string>()),
            "Python" => ("/usr/bin/python3", [Path.Combine(Scripts, "python", "peer.py")]),
            "grpc-js" => ("node", [Path.Combine(Scripts, "node", "peer.mjs")]),
            _ => throw new ArgumentOutOfRangeException(nameof(name), name, null),
        };
    }

    public static IReadOnlyList<string> Names { get; } = ["C++", "Python", "grpc-js"];

    public static PeerProgram Of(string name) => new(name);

    /// <summary>Runs one command; the lines of JSON that it printed.</summary>
    public async Task<IReadOnlyList<JsonElement>> RunAllAsync(Uri server, string command, params string[] options)
    {
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

using System.CommandLine;
using System.CommandLine.Parsing;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>The options that choose the wire, and how gRPC is spoken on it.</summary>
internal sealed class WireOptionSet
{
    private readonly Option<string> _via = new("--via")
    {
        Description = "The wire. Default: what suits the server best.",
        HelpName = string.Join('|', WireNames.All),
        DefaultValueFactory = _ => WireNames.All[0],
    };

    private readonly Option<bool>? _gzip;
    private readonly Option<string>? _chunks;

    /// <summary>Describes them.</summary>
    /// <param name="moves">Whether files are moved, so that it can be chosen how.</param>
    public WireOptionSet(bool moves)
    {
        _via.AcceptOnlyFromAmong([.. WireNames.All]);
        if (!moves)
        {
            return;
        }

        _gzip = new Option<bool>("--gzip")
        {
            Description = "Compress what is moved; with the wires of gRPC, which are named by --via.",
        };
        _gzip.Validators.Add(CheckWire);
        _chunks = new Option<string>("--chunks")
        {
            Description = "For measurements: what becomes of the bytes of a message of gRPC.",
            HelpName = string.Join('|', ChunkNames.All),
            DefaultValueFactory = _ => ChunkNames.All[0],
        };
        _chunks.AcceptOnlyFromAmong([.. ChunkNames.All]);
        _chunks.Validators.Add(CheckWire);
    }

    /// <summary>Adds them to a command.</summary>
    public void AddTo(Command command)
    {
        foreach (Option? option in (Option?[])[_via, _gzip, _chunks])
        {
            if (option is not null)
            {
                command.Options.Add(option);
            }
        }
    }

    /// <summary>The wire.</summary>
    public TransferWire Wire(ParseResult parsed) => WireNames.Parse(parsed.GetValue(_via)!);

    /// <summary>How files are coded on it.</summary>
    public TransferCompression Compression(ParseResult parsed) =>
        _gzip is not null && parsed.GetValue(_gzip) ? TransferCompression.Gzip : TransferCompression.None;

    /// <summary>What becomes of chunks.</summary>
    public ChunkHandling ChunkHandling(ParseResult parsed) =>
        _chunks is null ? default : ChunkNames.Parse(parsed.GetValue(_chunks)!);

    private void CheckWire(OptionResult result)
    {
        // A wire that is none is an error of its own.
        string? name = result.GetResult(_via) is { Tokens: [{ Value: var text }] } ? text : WireNames.All[0];
        if (!result.Implicit && WireNames.All.Contains(name) && !WireNames.IsGrpc(WireNames.Parse(name)))
        {
            result.AddError(
                $"{result.Option.Name} is about gRPC, and the wire is {name}, which sends files as they are. Add --via {string.Join(" or ", WireNames.Grpc)}, or leave {result.Option.Name} out.");
        }
    }
}

using System.CommandLine;
using System.CommandLine.Parsing;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>The options that choose the protocol, and how gRPC is spoken on it.</summary>
internal sealed class ProtocolOptionSet
{
    private readonly Option<string> _via = new("--via")
    {
        Description = "The wire. Default: what suits the server best.",
        HelpName = string.Join('|', ProtocolNames.All),
        DefaultValueFactory = _ => ProtocolNames.All[0],
    };

    private readonly Option<bool>? _gzip;

    /// <summary>Describes them.</summary>
    /// <param name="moves">Whether files are moved, so that it can be chosen how.</param>
    public ProtocolOptionSet(bool moves)
    {
        _via.AcceptOnlyFromAmong([.. ProtocolNames.All]);
        if (!moves)
        {
            return;
        }

        _gzip = new Option<bool>("--gzip")
        {
            Description = "Compress what is moved; with the wires of gRPC, which are named by --via.",
        };
        _gzip.Validators.Add(CheckProtocol);
    }

    /// <summary>Adds them to a command.</summary>
    public void AddTo(Command command)
    {
        foreach (Option? option in (Option?[])[_via, _gzip])
        {
            if (option is not null)
            {
                command.Options.Add(option);
            }
        }
    }

    /// <summary>The protocol.</summary>
    public TransferProtocol Protocol(ParseResult parsed) => ProtocolNames.Parse(parsed.GetValue(_via)!);

    /// <summary>How files are coded on it.</summary>
    public TransferCompression Compression(ParseResult parsed) =>
        _gzip is not null && parsed.GetValue(_gzip) ? TransferCompression.Gzip : TransferCompression.None;

    private void CheckProtocol(OptionResult result)
    {
        // A protocol that is none is an error of its own.
        string? name = result.GetResult(_via) is { Tokens: [{ Value: var text }] } ? text : ProtocolNames.All[0];
        if (!result.Implicit && ProtocolNames.All.Contains(name) && !ProtocolNames.IsGrpc(ProtocolNames.Parse(name)))
        {
            result.AddError(
                $"{result.Option.Name} is about gRPC, and the wire is {name}, which sends files as they are. Add --via {string.Join(" or ", ProtocolNames.Grpc)}, or leave {result.Option.Name} out.");
        }
    }
}

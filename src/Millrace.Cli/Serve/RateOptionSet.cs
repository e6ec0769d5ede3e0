using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about bytes per second.</summary>
internal sealed class RateOptionSet
{
    private readonly Option<long?> _total = Rate(
        "--max-rate", "Send at most this many bytes per second, all callers together, and receive as many.");

    private readonly Option<long?> _perCaller = Rate(
        "--max-rate-per-caller", "The same for each token, or for each address without tokens; 'millrace token add --max-rate' sets another one for a token.");

    /// <summary>Creates an option that takes bytes per second.</summary>
    public static Option<long?> Rate(string name, string description) =>
        SizeArgument.Option(name, description, min: 1000, range: "1000 bytes or more");

    public void AddTo(Command command) => command.Add(_total, _perCaller);

    public void Read(ParseResult parsed, TransferLimits limits)
    {
        limits.MaxRate = parsed.GetValue(_total);
        limits.MaxRatePerCaller = parsed.GetValue(_perCaller);
    }
}

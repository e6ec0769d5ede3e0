using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>Finds the cases that statements about a run of the suite are made of.</summary>
internal sealed class TransfersLookup
{
    /// <summary>Of a figure without cases.</summary>
    public const string NotMeasured = "not measured in this run";

    private readonly CaseResult[] _cases;

    /// <summary>Looks into results.</summary>
    public TransfersLookup(LabResults results) =>
        _cases = [.. results.Cases.Where(item => item is { Summary: not null, Role: null })];

    /// <summary>A method's cases between two processes on loopback that wait for no device.</summary>
    public IEnumerable<CaseResult> Of(
        string method, string? direction = null, string compression = TransfersPlan.None) => _cases.Where(item =>
        item.Method == method
        && item.Parameters is { Processes: 2, Durability: TransfersPlan.None, RoundTripMs: null }
        && item.Parameters.Compression == compression
        && (direction is null || item.Parameters.Direction == direction));

    /// <summary>A method's cases over a shaped link.</summary>
    public IEnumerable<CaseResult> Linked(string method, int roundTripMs) =>
        _cases.Where(item => item.Method == method && item.Parameters.RoundTripMs == roundTripMs);

    /// <summary>The case of another method with the same parameters; null when it was not measured.</summary>
    public CaseResult? Same(string method, CaseResult item) =>
        Array.Find(_cases, other => other.Method == method && other.Parameters == item.Parameters);

    /// <summary>Median wall time in nanoseconds.</summary>
    public static double Median(CaseResult item) => item.Summary!.WallNs.Median;

    /// <summary>For example "22.79 MiB at 64 KiB".</summary>
    public static string Where(CaseResult item) =>
        $"{ByteSize.ToText(item.Parameters.Bytes!.Value)} at {ByteSize.ToText(item.Parameters.Buffer!.Value)}";

    /// <summary>For example "61.3 ms".</summary>
    public static string Time(CaseResult item) => FormattableString.Invariant($"{Median(item) / 1e6:0.0} ms");
}

using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>Finds the cases that statements about a run of the suite are made of.</summary>
internal sealed class WritesLookup
{
    private readonly LabResults _results;
    private readonly CaseResult[] _cases;

    /// <summary>Looks into results.</summary>
    public WritesLookup(LabResults results)
    {
        _results = results;
        _cases = [.. results.Cases.Where(item => item is { Summary: not null, Role: null })];
    }

    /// <summary>The cases of making files in a way, by length and chunk.</summary>
    public IEnumerable<CaseResult> Writing(string method, string durability) => _cases
        .Where(item => item.Method == method && item.Parameters.Chunk is not null && item.Parameters.Durability == durability)
        .OrderBy(item => item.Parameters.Bytes).ThenBy(item => item.Parameters.Chunk);

    /// <summary>A case of making a file; null when it was not measured.</summary>
    public CaseResult? Writing(string method, string durability, long bytes, int chunk) =>
        Writing(method, durability).FirstOrDefault(item => item.Parameters.Bytes == bytes && item.Parameters.Chunk == chunk);

    /// <summary>A case of copying; null when it was not measured.</summary>
    public CaseResult? Copying(string method) => Array.Find(
        _cases, item => item.Method == method && item.Parameters is { Chunk: null, Degree: null, Records: null });

    /// <summary>The cases of scanning with so many parts, by content.</summary>
    public IEnumerable<CaseResult> Scanning(int degree) =>
        _cases.Where(item => item.Parameters.Degree == degree).OrderBy(item => item.Parameters.Content, StringComparer.Ordinal);

    /// <summary>A case of appending; null when it was not measured.</summary>
    public CaseResult? Appending(string method, int writers) =>
        Array.Find(_cases, item => item.Method == method && item.Parameters.Writers == writers);

    /// <summary>The case of another method with the same parameters; null when it was not measured.</summary>
    public CaseResult? Same(string method, CaseResult item) =>
        Array.Find(_cases, other => other.Method == method && other.Parameters == item.Parameters);

    /// <summary>How much a baseline differed from itself with a case's parameters; 0 when that was not measured.</summary>
    public double NoiseOf(CaseResult item) =>
        _results.Noise.FirstOrDefault(noise => noise.Parameters == item.Parameters)?.Deviation ?? 0;

    /// <summary>Median wall time in nanoseconds.</summary>
    public static double Median(CaseResult item) => item.Summary!.WallNs.Median;

    /// <summary>For example "61.3 ms", and "0.412 ms" below a millisecond.</summary>
    public static string Time(CaseResult item) => Median(item) < 1e6
        ? FormattableString.Invariant($"{Median(item) / 1e6:0.000} ms")
        : FormattableString.Invariant($"{Median(item) / 1e6:0.0} ms");

    /// <summary>Records per second, for example "88,000".</summary>
    public static string Rate(CaseResult item) => FormattableString.Invariant($"{item.Summary!.RecordsPerSecond:#,0}");
}

using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>Finds the cases that statements about a run of the suite are made of.</summary>
internal sealed class BytesLookup
{
    private readonly LabResults _results;

    /// <summary>Looks into results.</summary>
    public BytesLookup(LabResults results) => _results = results;

    /// <summary>A method's case of one source, with the main increments and one reader; null when it was not measured.</summary>
    public CaseResult? Of(string method, string source = ByteSource.FileName) => _results.Cases.FirstOrDefault(item =>
        item is { Summary: not null, Role: null }
        && item.Method == method
        && item.Parameters.Source == source
        && item.Parameters.Buffer == BytesPlan.MainBuffer
        && item.Parameters.Readers == 1);

    /// <summary>Median wall time in nanoseconds.</summary>
    public static double Median(CaseResult item) => item.Summary!.WallNs.Median;

    /// <summary>For example "217.3 ms".</summary>
    public static string Time(CaseResult item) => FormattableString.Invariant($"{Median(item) / 1e6:0.0} ms");
}

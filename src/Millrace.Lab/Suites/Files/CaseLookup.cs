using Millrace.Lab.Data;
using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Files;

/// <summary>Finds cases of a run: generated files, SequentialScan, and the fill that quick mode uses.</summary>
internal sealed class CaseLookup
{
    private readonly CaseResult[] _cases;
    private readonly LabResults _results;

    /// <summary>Looks into results.</summary>
    public CaseLookup(LabResults results)
    {
        _results = results;
        _cases =
        [
            .. results.Cases.Where(item => item is
            {
                Summary: not null,
                Role: null,
                Parameters: { File: null, Options: "SequentialScan", CacheFill: null or "large writes" or "as found" },
            }),
        ];
    }

    /// <summary>The lengths of files that were measured hot, ascending.</summary>
    public IEnumerable<long> Sizes =>
        _cases.Where(item => item.Parameters.Cache == CacheNames.Hot)
            .Select(item => item.Parameters.Bytes!.Value).Distinct().Order();

    /// <summary>The cases of a method, by buffer.</summary>
    public IReadOnlyDictionary<int, CaseResult> Of(string method, long bytes, string cache = CacheNames.Hot) => _cases
        .Where(item => item.Method == method && item.Parameters.Bytes == bytes && item.Parameters.Cache == cache)
        .OrderBy(item => item.Parameters.Buffer)
        .ToDictionary(item => item.Parameters.Buffer!.Value);

    /// <summary>The case with the smallest median of several methods; null when none was measured.</summary>
    public CaseResult? Best(long bytes, string cache, params ReadOnlySpan<string> methods)
    {
        CaseResult? best = null;
        foreach (string method in methods)
        {
            CaseResult? candidate = Of(method, bytes, cache).Values.MinBy(Median);
            if (candidate is not null && (best is null || Median(candidate) < Median(best)))
            {
                best = candidate;
            }
        }

        return best;
    }

    /// <summary>How much the baseline differed from itself with a case's parameters; 0 when that was not measured.</summary>
    public double NoiseOf(CaseResult item) =>
        _results.Noise
            .FirstOrDefault(noise =>
                noise.Method == nameof(FileReading.FileStreamSync) && noise.Parameters == item.Parameters)
            ?.Deviation ?? 0;

    /// <summary>A case's median wall time in nanoseconds.</summary>
    public static double Median(CaseResult item) => item.Summary!.WallNs.Median;

    /// <summary>Its mean processor time in nanoseconds.</summary>
    public static double Cpu(CaseResult item) => item.Summary!.UserCpuNs + item.Summary.SystemCpuNs;
}

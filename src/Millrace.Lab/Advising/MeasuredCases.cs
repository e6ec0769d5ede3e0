using Millrace.Lab.Results;

namespace Millrace.Lab.Advising;

/// <summary>The cases of a run that have figures, and how they compare.</summary>
internal sealed class MeasuredCases
{
    // What says most about files as programs find them comes first.
    private static readonly string?[] Fills = ["large writes", "as found", "read back"];

    /// <summary>Looks into results.</summary>
    public MeasuredCases(LabResults results)
    {
        Results = results;
        CaseResult[] measured = [.. results.Cases.Where(item => item is { Summary: not null, Role: null })];

        // On systems that do not tell what is in the page cache no case is verified; then they are all there is.
        All = measured.Any(item => item.Verified) ? [.. measured.Where(item => item.Verified)] : measured;
        Judge = new Judge(results);
        Situations = [.. MakeSituations(All)];
    }

    /// <summary>The results.</summary>
    public LabResults Results { get; }

    /// <summary>
    /// Cases with figures, without the second copies of the baseline, and without those that began in another state than
    /// they say, unless all did.
    /// </summary>
    public IReadOnlyList<CaseResult> All { get; }

    /// <summary>Compares two of them.</summary>
    public Judge Judge { get; }

    /// <summary>
    /// Files and states of the cache, hot ones first, each with its cases opened in the usual way and read by one at a time.
    /// </summary>
    public IReadOnlyList<Situation> Situations { get; }

    /// <summary>The method that others are compared with.</summary>
    public string? Baseline => All.FirstOrDefault(item => item.Baseline)?.Method;

    /// <summary>The case of a method with the same parameters; null when it was not measured.</summary>
    public CaseResult? Find(string method, CaseParameters parameters) =>
        All.FirstOrDefault(item => item.Method == method && item.Parameters == parameters);

    /// <summary>Cases of some methods with those of another that have the same parameters.</summary>
    public IEnumerable<(CaseResult Mine, CaseResult Other)> Pairs(string other, params string[] methods) =>
        from mine in All
        where methods.Contains(mine.Method) && !IsAsynchronous(mine.Parameters)
        let their = Find(other, mine.Parameters)
        where their is not null
        select (mine, their);

    /// <summary>Whether a FileStream was opened for asynchronous reads.</summary>
    public static bool IsAsynchronous(CaseParameters parameters) =>
        parameters.Options?.Contains("Asynchronous", StringComparison.Ordinal) ?? false;

    private static IEnumerable<Situation> MakeSituations(IEnumerable<CaseResult> cases) => cases
        .Where(item => !IsAsynchronous(item.Parameters) && item.Parameters.Readers is null or 1)
        .GroupBy(item => item.Parameters with { Buffer = null, CacheFill = null })
        .Select(state => state.GroupBy(item => item.Parameters.CacheFill).MinBy(fill => RankOf(fill.Key))!)
        .Select(group => new Situation(group.First().Parameters with { Buffer = null }, [.. group]))
        .OrderBy(situation => situation.IsCold)
        .ThenByDescending(situation => situation.Parameters.Bytes);

    private static int RankOf(string? fill)
    {
        int rank = Array.IndexOf(Fills, fill);
        return rank < 0 ? Fills.Length : rank;
    }
}

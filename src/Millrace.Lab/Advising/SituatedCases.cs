
namespace Millrace.Lab.Advising;

/// <summary>A run's cases as advice sees them, and how they compare.</summary>
internal sealed class SituatedCases
{
    // What says most about files as programs find them comes first.
    private static readonly string?[] Fills = ["large writes", "as found", "read back"];
    private readonly MeasuredCases _cases;

    public SituatedCases(LabResults results)
    {
        _cases = new MeasuredCases(results, onlyVerified: true);
        Judge = new Judge(_cases);
        Situations = [.. MakeSituations(All)];
    }

    public LabResults Results => _cases.Results;

    public IReadOnlyList<CaseResult> All => _cases.All;

    public Judge Judge { get; }

    /// <summary>
    /// Files and states of the cache, hot ones first, each with its cases opened in the usual way and read by one at a time.
    /// </summary>
    public IReadOnlyList<Situation> Situations { get; }

    public string? Baseline => _cases.Baseline;

    public CaseResult? Find(string method, CaseParameters parameters) => _cases.Find(method, parameters);

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

namespace Millrace.Lab.Advising;

/// <summary>A run's cases as advice sees them, and how they compare.</summary>
internal sealed class SituatedCases
{
    // The state most like the files that programs find comes first.
    private static readonly string?[] Fills = ["large writes", "as found", "read back"];
    private readonly MeasuredCases _cases;
    private readonly MedianJudge _judge;

    public SituatedCases(LabResults results)
    {
        _cases = new MeasuredCases(results, onlyVerified: true);
        _judge = new MedianJudge(_cases);
        All = [.. _cases.All.Where(item => !Floor.Is(item.Method) && item.Parameters is { Offset: null, Block: null })];
        Situations = [.. MakeSituations(All)];
    }

    public LabResults Results => _cases.Results;

    /// <summary>Without the cases that only show the machine's limit, and those measured for one question alone.</summary>
    public IReadOnlyList<CaseResult> All { get; }

    /// <summary>
    /// Files and states of the cache, hot ones first, each with its cases opened in the usual way and read by one at a time.
    /// </summary>
    public IReadOnlyList<Situation> Situations { get; }

    public IEnumerable<Situation> Hot => Situations.Where(item => !item.IsCold);

    public string? Baseline => _cases.Baseline;

    public CaseResult? Find(string method, CaseParameters parameters) => _cases.Find(method, parameters);

    public VerdictResult Compare(CaseResult mine, CaseResult other) => _judge.Compare(mine, other);

    public VerdictResult ComparePerMib(CaseResult mine, CaseResult other) => _judge.ComparePerMib(mine, other);

    public bool IsFaster(CaseResult mine, CaseResult other) => Compare(mine, other).Verdict == VerdictWords.Faster;

    public bool IsSlower(CaseResult mine, CaseResult other) => Compare(mine, other).Verdict == VerdictWords.Slower;

    public bool IsSame(CaseResult mine, CaseResult other) => Compare(mine, other).Verdict == VerdictWords.Same;

    /// <summary>Cases of some methods with those of another that have the same parameters.</summary>
    public IEnumerable<(CaseResult Mine, CaseResult Other)> Pairs(string other, IEnumerable<string> methods) =>
        from mine in All
        where methods.Contains(mine.Method) && !IsAsynchronous(mine.Parameters)
        let their = Find(other, mine.Parameters)
        where their is not null
        select (mine, their);

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

/// <summary>Cases that differ in method and buffer only.</summary>
/// <param name="Parameters">Their common parameters; without a buffer.</param>
internal sealed record Situation(CaseParameters Parameters, IReadOnlyList<CaseResult> Cases)
{
    // With two buffers the smaller one is not a finding.
    private const int MinBuffers = 3;

    public bool IsCold => Parameters.Cache == "cold";

    /// <summary>For example "128 MiB, hot" or "http, random, 128 MiB, hot".</summary>
    public string Name => string.Join(", ", new[]
    {
        Parameters.Source,
        Parameters.Content,
        Parameters.File is { } file ? Path.GetFileName(file) : null,
        Parameters.Bytes is { } bytes ? ByteSize.ToText(bytes) : null,
        Parameters.Cache,
        Parameters.Load is { } load ? $"load {load}" : null,
    }.OfType<string>());

    public string Thing => Parameters.Source == "http" ? "response" : "file";

    public IEnumerable<string> Methods => Cases.Select(item => item.Method).Distinct();

    public IReadOnlyList<CaseResult> Of(string method) =>
        [.. Cases.Where(item => item.Method == method).OrderBy(item => item.Parameters.Buffer)];

    public bool IsNearBest(CaseResult item) => Figures.IsNear(item, Cases.MinBy(Figures.Median)!);

    public CaseResult? Best(string method) => Cases.Where(item => item.Method == method).MinBy(Figures.Median);

    public IReadOnlyList<CaseResult> BestOfEach() => [.. Methods.Select(Best).OfType<CaseResult>().OrderBy(Figures.Median)];

    /// <summary>The fastest buffer of a method and the smallest within the noise of it; null with fewer than three buffers.</summary>
    public BufferChoice? ChooseBuffer(SituatedCases cases, string method)
    {
        IReadOnlyList<CaseResult> all = Of(method);
        if (all.Count(item => item.Parameters.Buffer is not null) < MinBuffers)
        {
            return null;
        }

        CaseResult best = all.MinBy(Figures.Median)!;
        return new BufferChoice(best, all.First(item => item == best || cases.IsSame(item, best)), all);
    }
}

internal sealed record BufferChoice(CaseResult Best, CaseResult Smallest, IReadOnlyList<CaseResult> All);

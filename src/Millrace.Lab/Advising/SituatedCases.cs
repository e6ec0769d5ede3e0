using Millrace.Lab.Suites.Bytes;

namespace Millrace.Lab.Advising;

/// <summary>A run's cases as advice sees them, and how they compare.</summary>
internal sealed class SituatedCases
{
    // The state most like the files that programs find comes first.
    private static readonly string?[] Fills = ["large writes", "as found", "read back"];

    // A smaller difference does not justify choosing a method, however quiet the machine.
    private const double SmallestEffect = 0.01;

    // McGill, Tukey and Larsen, "Variations of Box Plots", 1978: a median is uncertain by 1.57 interquartile ranges by
    // the square root of the number of samples; two medians differ when they are further apart than that.
    private const double Notch = 1.57;

    private readonly MeasuredCases _cases;

    /// <param name="ofUrlSession">Only the rows of URLSession, which are left out otherwise: a program in .NET cannot choose them.</param>
    public SituatedCases(LabResults results, bool ofUrlSession = false)
    {
        _cases = new MeasuredCases(results, onlyVerified: true);
        All = [.. _cases.All.Where(item => !Floor.Is(item.Method) && UrlSession.Is(item.Method) == ofUrlSession && item.Parameters is { Offset: null, Block: null })];
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

    /// <summary>
    /// Compares two cases by the run's own verdict where it has one, otherwise by their medians and the difference that the run cannot
    /// resolve. The verdict's threshold is that noise.
    /// </summary>
    public VerdictResult Compare(CaseResult mine, CaseResult other) => Figures.VerdictOf(mine, other) is { } verdict
        ? verdict with
        {
            Verdict = verdict.Verdict == VerdictWords.Noise ? VerdictWords.Same : verdict.Verdict,
            Ratio = verdict.Ratio ?? Figures.RatioOf(mine, other),
        }
        : FromRatio(mine, other, Figures.RatioOf(mine, other));

    public VerdictResult ComparePerMib(CaseResult mine, CaseResult other) =>
        FromRatio(mine, other, Figures.PerMib(mine) / Figures.PerMib(other));

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

    private VerdictResult FromRatio(CaseResult mine, CaseResult other, double ratio)
    {
        double uncertainty = Math.Sqrt(Math.Pow(Uncertainty(mine), 2) + Math.Pow(Uncertainty(other), 2));
        double noise = Math.Max(
            Math.Max(_cases.NoiseOf(mine.Parameters), _cases.NoiseOf(other.Parameters)), Math.Max(uncertainty, SmallestEffect));
        return new VerdictResult
        {
            Metric = Metrics.WallNs.Name,
            Against = other.Method,
            Verdict = ratio > 1 + noise ? VerdictWords.Slower : ratio < 1 / (1 + noise) ? VerdictWords.Faster : VerdictWords.Same,
            Ratio = ratio,
            Threshold = noise,
        };
    }

    private static double Uncertainty(CaseResult item)
    {
        Distribution wall = item.Summary!.WallNs;
        return wall is { N: > 0, Median: > 0 } ? Notch * (wall.P75 - wall.P25) / Math.Sqrt(wall.N) / wall.Median : 0;
    }

    private static IEnumerable<Situation> MakeSituations(IEnumerable<CaseResult> cases) => cases
        .Where(item => !IsAsynchronous(item.Parameters) && item.Parameters.Readers is null or 1)
        .GroupBy(item => item.Parameters with { Buffer = null, CacheFill = null })
        .Select(state => state.GroupBy(item => item.Parameters.CacheFill).MinBy(fill => RankOf(fill.Key))!)
        .Select(group => new Situation(group.First().Parameters with { Buffer = null }, [.. group]))
        .OrderBy(situation => situation.IsCold)
        .ThenByDescending(situation => Figures.IsMainFile(situation.Parameters))
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

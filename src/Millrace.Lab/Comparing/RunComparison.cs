using System.Text.Encodings.Web;

namespace Millrace.Lab.Comparing;

internal sealed record RunComparison
{
    public required string Reference { get; init; }
    public required string Other { get; init; }
    public required string Suite { get; init; }
    public required ComparisonBasis Basis { get; init; }
    public required bool SameMachine { get; init; }
    public IReadOnlyList<MachineDifference> Differences { get; init; } = [];

    /// <summary>
    /// How much slower the machine itself was in the other run, measured by the baseline, by state of the cache; 1 is no
    /// change.
    /// </summary>
    public IReadOnlyDictionary<string, double> Drift { get; init; } = new Dictionary<string, double>();
    public IReadOnlyList<string> Notes { get; init; } = [];
    public required IReadOnlyList<CaseComparison> Cases { get; init; }

    /// <summary>Why the comparison has no verdict; null if it has one.</summary>
    public string? Impossible { get; init; }

    public int Count(string verdict) => Cases.Count(item => item.Verdict.Verdict == verdict);
}

internal sealed record CaseComparison
{
    public required string Method { get; init; }
    public string? Role { get; init; }
    public required CaseParameters Parameters { get; init; }

    /// <summary>The reference's median time in nanoseconds, as measured.</summary>
    public double? ReferenceNs { get; init; }
    public double? OtherNs { get; init; }

    /// <summary>The method's place among those with the same parameters in the reference, by median time; 1 is the fastest.</summary>
    public int? ReferenceRank { get; init; }
    public int? OtherRank { get; init; }

    /// <summary>The verdict on time, which the exit code follows.</summary>
    public required VerdictResult Verdict { get; init; }

    /// <summary>The verdict on the ratio to the baseline of the same run, as a check; absent for the baseline.</summary>
    public VerdictResult? AgainstBaseline { get; init; }
    public IReadOnlyList<VerdictResult> Others { get; init; } = [];
}

/// <summary>A case of two runs.</summary>
internal sealed record CommonCase(CaseResult Reference, CaseResult Other);

internal enum ComparisonBasis
{
    AdjustedTime,
    Time,
    Ratio,
}

internal sealed record ComparisonOptions
{
    /// <summary>By what to compare; null decides by whether the machine is the same.</summary>
    public ComparisonBasis? By { get; init; }
    public IReadOnlyList<MetricKind> Metrics { get; init; } = [];

    /// <summary>Globs that select cases, as in `lab files`; all when empty.</summary>
    public IReadOnlyList<string> Filters { get; init; } = [];

    /// <summary>A run that measured every method against itself, on the same machine; its noise counts, too.</summary>
    public LabResults? NullRun { get; init; }
}

internal sealed record ComparisonReport(int ExitCode, IReadOnlyList<string> Problems, IReadOnlyList<RunComparison> Comparisons);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    UseStringEnumConverter = true,
    WriteIndented = true)]
[JsonSerializable(typeof(ComparisonReport))]
[JsonSerializable(typeof(HistoryReport))]
internal sealed partial class ComparingJson : JsonSerializerContext
{
    private static ComparingJson Readable => field ??= new ComparingJson(
        new JsonSerializerOptions(Default.ComparisonReport.Options) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping });

    public static string Write(ComparisonReport report) => JsonSerializer.Serialize(report, Readable.ComparisonReport);

    public static string Write(HistoryReport report) => JsonSerializer.Serialize(report, Readable.HistoryReport);
}

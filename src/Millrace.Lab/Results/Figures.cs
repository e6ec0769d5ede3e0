namespace Millrace.Lab.Results;

/// <summary>Figures of a case, as numbers and as people read them.</summary>
internal static class Figures
{
    private const double NsPerMs = 1e6;
    private const double MibBytes = 1024 * 1024;
    private const double MaxAdvised = 1.1;

    /// <summary>The length of the file that findings speak of, in bytes.</summary>
    public const long MainFile = 128 * ByteSize.MiB;

    // Shown as 1.00; the verdict decides whether it is a difference.
    private const double SameSpeed = 1.005;

    public static double Median(CaseResult item) => item.Summary!.WallNs.Median;

    /// <summary>Mean processor time in nanoseconds; null where it was not measured.</summary>
    public static double? Cpu(CaseResult item) =>
        item.Summary!.UserCpuNs + item.Summary.SystemCpuNs is > 0 and var cpu ? cpu : null;

    /// <summary>Processors in use at a time; null where it was not measured.</summary>
    public static double? Cores(CaseResult item) => item.Summary!.CoresUsed
        ?? (Cpu(item) is { } cpu && item.Summary.WallNs.Mean > 0 ? cpu / item.Summary.WallNs.Mean : null);

    public static double PerMib(CaseResult item) => Median(item) / ((item.Parameters.Bytes ?? 0) / MibBytes);

    /// <summary>The time of a byte, for example "0.31 ns".</summary>
    public static string PerByte(CaseResult item) => Nanoseconds(Median(item) / (item.Parameters.Bytes ?? 0));

    /// <summary>Whether a case reads the file that findings speak of and that reports show first, where a run has several.</summary>
    public static bool IsMainFile(CaseParameters parameters) => parameters.Bytes == MainFile;

    /// <summary>Whether a case may be advised for its speed beside the best: a slower one, noise or not, is not advised.</summary>
    public static bool IsNear(CaseResult item, CaseResult best) => Median(item) <= MaxAdvised * Median(best);

    /// <summary>The time of a case by that of another: the verdict's ratio where the run has one, so that no page has two.</summary>
    public static double RatioOf(CaseResult mine, CaseResult other) =>
        VerdictOf(mine, other)?.Ratio ?? Median(mine) / Median(other);

    /// <summary>The run's verdict on the time of a case by that of another, also where it judged them the other way round; null without one.</summary>
    public static VerdictResult? VerdictOf(CaseResult mine, CaseResult other)
    {
        return Own(mine, other) ?? (Own(other, mine) is { } reverse
            ? reverse with
            {
                Against = other.Method,
                Verdict = reverse.Verdict switch
                {
                    VerdictWords.Faster => VerdictWords.Slower,
                    VerdictWords.Slower => VerdictWords.Faster,
                    var same => same,
                },
                Ratio = 1 / reverse.Ratio,
            }
            : null);

        static VerdictResult? Own(CaseResult mine, CaseResult other) => mine.Parameters == other.Parameters
            ? mine.Verdicts?.FirstOrDefault(item => item.Metric == Metrics.WallNs.Name && item.Against == other.Method)
            : null;
    }

    /// <summary>For example ", 9.8 ms of processor time"; empty where it was not measured.</summary>
    public static string CpuText(CaseResult item) => Cpu(item) is { } cpu ? $", {Time(cpu)} of processor time" : "";

    public static string CpuAndPeak(CaseResult item) => CpuText(item)
        + (item.Summary!.PeakOverIdleBytes is { } peak ? $", {Bytes(peak)} of peak memory over idle" : "");

    /// <summary>A time that is short, for example "0.31 ns".</summary>
    public static string Nanoseconds(double nanoseconds) =>
        nanoseconds.ToString(nanoseconds < 0.1 ? "0.000" : "0.00", CultureInfo.InvariantCulture) + " ns";

    public static string Id(CaseResult item) => $"{item.Method}/{item.Parameters.Describe()}";

    public static string Time(double nanoseconds)
    {
        double ms = nanoseconds / NsPerMs;
        string format = ms switch { < 1 => "0.000", < 10 => "0.00", < 1000 => "0.0", _ => "#,0" };
        return ms.ToString(format, CultureInfo.InvariantCulture) + " ms";
    }

    /// <summary>Two medians, for example "15.8 and 34.6 ms".</summary>
    public static string Both(CaseResult mine, CaseResult other) => $"{Time(mine)[..^" ms".Length]} and {Time(other)}";

    public static string Time(CaseResult item) => Time(Median(item));

    public static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>How fast it is beside another whose time it takes the ratio of, for example "is 2.2 times as fast" or "takes 1.3 times as long".</summary>
    public static string Speed(double ratio) => Math.Max(ratio, 1 / ratio) < SameSpeed
        ? "is as fast"
        : ratio < 1 ? $"is {Factor(1 / ratio)} times as fast" : $"takes {Factor(ratio)} times as long";

    /// <summary>A factor as a sentence has it, for example "1.04", "2.2" or "17".</summary>
    public static string Factor(double factor) =>
        factor.ToString(factor switch { < 1.1 => "0.00", < 10 => "0.0", _ => "#,0" }, CultureInfo.InvariantCulture);

    /// <summary>For example "A, B and C".</summary>
    public static string List(IEnumerable<string> names) => names.ToArray() is [.. var first, var last] && first.Length > 0
        ? $"{string.Join(", ", first)} and {last}"
        : string.Join("", names);

    public static string Capital(string sentence) => char.ToUpperInvariant(sentence[0]) + sentence[1..];

    public static string Times(IEnumerable<double> ratios)
    {
        string[] both = [Ratio(ratios.Min()), Ratio(ratios.Max())];
        return (both[0] == both[1] ? both[0] : $"{both[0]} to {both[1]}") + " times";
    }

    public static string Percent(double part) => (part * 100).ToString("0.0", CultureInfo.InvariantCulture) + " %";

    public static string Number(double number) => number.ToString("0.0", CultureInfo.InvariantCulture);

    public static string Bytes(double bytes) => ByteSize.ToText((long)Math.Round(bytes));

    /// <summary>The buffer of a case, for example "64 KiB".</summary>
    public static string Buffer(CaseResult item) => item.Parameters.Buffer is { } bytes ? ByteSize.ToText(bytes) : "its own buffer";

    /// <summary>The file and the buffer, for example "128 MiB hot at 64 KiB".</summary>
    public static string Where(CaseResult item) => string.Join(' ', new[]
    {
        item.Parameters.Bytes is { } bytes ? ByteSize.ToText(bytes) : null,
        item.Parameters.Cache,
        item.Parameters.CacheFill is null or "large writes" ? null : $"({item.Parameters.CacheFill})",
        item.Parameters.Buffer is { } buffer ? $"at {ByteSize.ToText(buffer)}" : null,
    }.OfType<string>());
}

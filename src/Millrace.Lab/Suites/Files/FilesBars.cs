using Millrace.Lab.Data;
using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Files;

/// <summary>
/// What file pipes must reach, checked with the run's own medians. A bar whose cases were not measured is neither met
/// nor missed.
/// </summary>
internal static class FilesBars
{
    private const string NotMeasured = "not measured in this run";
    private const string Pipe = nameof(FileReading.FilePipe);
    private const string Stream = nameof(FileReading.FileStreamSync);
    private const string Native = nameof(FileReading.PipeReaderCreate);
    private const long Large = FilesPlan.LargeSize;
    private const int LastSmallBuffer = 65536;

    /// <summary>Checks all of them; none are stated for a user's own file.</summary>
    public static IReadOnlyList<BarResult> Check(LabResults results)
    {
        if (results.Cases.Any(item => item.Parameters.File is not null))
        {
            return [];
        }

        var cases = new CaseLookup(results);
        return
        [
            SameBuffer(cases),
            AtBuffer(cases, 2048, 0.30),
            AtBuffer(cases, 4096, 0.40),
            BestOfAll(cases),
            BestOfAuto(cases),
            AgainstNative(cases, "up to 64 KiB", 0.95, buffer => buffer <= LastSmallBuffer),
            AgainstNative(cases, "above 64 KiB", 1.00, buffer => buffer > LastSmallBuffer),
            Allocated(cases),
            Collections(cases),
            Cold(cases),
            CallingThread(cases),
        ];
    }

    private static BarResult SameBuffer(CaseLookup cases)
    {
        const double Limit = 1.02;
        Comparison[] all = [.. Compare(cases, Stream, _ => true)];
        return Worst(
            all,
            $"{Pipe} / {Stream}, same buffer, every buffer and file",
            $"≤ {Limit:0.00}, or within the run's noise",
            item => Math.Max(Limit, 1 + cases.NoiseOf(item.Mine)),
            item => $", where {Stream} differed from itself by {cases.NoiseOf(item.Mine):P1}");
    }

    private static BarResult AtBuffer(CaseLookup cases, int buffer, double limit) => Worst(
        [.. Compare(cases, Stream, size => size == buffer).Where(item => item.Mine.Parameters.Bytes == Large)],
        $"{Pipe} / {Stream} at {ByteSize.ToText(buffer)}, {ByteSize.ToText(Large)}",
        $"≤ {limit:0.00}",
        _ => limit);

    private static BarResult AgainstNative(CaseLookup cases, string buffers, double limit, Func<int, bool> select) =>
        Worst([.. Compare(cases, Native, select)], $"{Pipe} / {Native}, buffers {buffers}", $"≤ {limit:0.00}", _ => limit);

    private static BarResult BestOfAll(CaseLookup cases)
    {
        const double Limit = 0.85;
        string[] methods = [Pipe, nameof(FileReading.FilePipeReadAhead), nameof(FileReading.FilePipeMapped)];
        CaseResult? stream = BestStream(cases, CacheNames.Hot);
        string details = stream is null ? "" : string.Join("; ", methods
            .Select(method => cases.Best(Large, CacheNames.Hot, method))
            .OfType<CaseResult>()
            .Select(item => $"{item.Method} {Ratio(item, stream)}"));
        return BestOf(
            stream,
            cases.Best(Large, CacheNames.Hot, methods),
            $"best of {string.Join(", ", methods)} / best {Stream}, {ByteSize.ToText(Large)}",
            Limit,
            details.Length == 0 ? "" : $" ({details}; {Stream}: CPU {Cpu(stream!)})");
    }

    private static BarResult BestOfAuto(CaseLookup cases) => BestOf(
        BestStream(cases, CacheNames.Hot),
        cases.Best(Large, CacheNames.Hot, Pipe),
        $"best {Pipe} (Auto) / best {Stream}, {ByteSize.ToText(Large)}",
        limit: 0.95,
        "");

    private static BarResult Cold(CaseLookup cases) => BestOf(
        BestStream(cases, CacheNames.Cold),
        cases.Best(Large, CacheNames.Cold, Pipe),
        $"cold, {ByteSize.ToText(Large)}: best {Pipe} / best {Stream}",
        limit: 1.05,
        "");

    private static BarResult Allocated(CaseLookup cases)
    {
        const double Limit = 1024;
        CaseResult? worst = HotPipes(cases).Where(item => item.Summary!.AllocatedBytes is not null)
            .MaxBy(item => item.Summary!.AllocatedBytes);
        return new BarResult
        {
            Figure = $"{Pipe}: allocated per file opened, read and completed",
            Limit = "≤ 1 KiB",
            Measured = worst is null
                ? NotMeasured
                : $"{worst.Summary!.AllocatedBytes:0} B at most ({Where(worst)})",
            Met = worst is null ? null : worst.Summary!.AllocatedBytes <= Limit,
        };
    }

    private static BarResult Collections(CaseLookup cases)
    {
        CaseResult[] all = [.. HotPipes(cases).Where(item => item.Summary!.Gen0 is not null)];
        CaseResult[] collecting = [.. all.Where(item => item.Summary is not { Gen0: 0, Gen1: 0, Gen2: 0 })];
        return new BarResult
        {
            Figure = $"{Pipe}: collections",
            Limit = "none",
            Measured = all.Length == 0
                ? NotMeasured
                : collecting.Length == 0 ? "none" : $"in {collecting.Length} cases, first {Where(collecting[0])}",
            Met = all.Length == 0 ? null : collecting.Length == 0,
        };
    }

    private static BarResult CallingThread(CaseLookup cases)
    {
        const double Limit = 0.20;
        CaseResult? worst = cases.Of(Pipe, Large, CacheNames.Cold).Values
            .Where(item => item.Summary!.CallingThreadShare is not null)
            .MaxBy(item => item.Summary!.CallingThreadShare);
        return new BarResult
        {
            Figure = $"cold, {ByteSize.ToText(Large)}: calling thread inside ReadAsync of {Pipe}",
            Limit = $"≤ {Limit:P0} of the time",
            Measured = worst is null
                ? NotMeasured
                : $"{worst.Summary!.CallingThreadShare:P1} at most ({Where(worst)})",
            Met = worst is null ? null : worst.Summary!.CallingThreadShare <= Limit,
        };
    }

    private static IEnumerable<CaseResult> HotPipes(CaseLookup cases) =>
        cases.Sizes.SelectMany(bytes => cases.Of(Pipe, bytes).Values);

    private static IEnumerable<Comparison> Compare(CaseLookup cases, string other, Func<int, bool> select)
    {
        foreach (long bytes in cases.Sizes)
        {
            IReadOnlyDictionary<int, CaseResult> others = cases.Of(other, bytes);
            foreach ((int buffer, CaseResult mine) in cases.Of(Pipe, bytes))
            {
                if (select(buffer) && others.TryGetValue(buffer, out CaseResult? theirs))
                {
                    yield return new Comparison(mine, CaseLookup.Median(mine) / CaseLookup.Median(theirs));
                }
            }
        }
    }

    private static BarResult Worst(
        Comparison[] all,
        string figure,
        string limitText,
        Func<Comparison, double> limit,
        Func<Comparison, string>? remark = null)
    {
        if (all.Length == 0)
        {
            return new BarResult { Figure = figure, Limit = limitText, Measured = NotMeasured };
        }

        // Nearest to its own limit, or furthest past it.
        Comparison worst = all.MaxBy(item => item.Ratio / limit(item))!;
        int missed = all.Count(item => item.Ratio > limit(item));
        string scope = all.Length == 1 ? "" : $" at worst ({Where(worst.Mine)}{remark?.Invoke(worst)})";
        return new BarResult
        {
            Figure = figure,
            Limit = limitText,
            Measured = $"{worst.Ratio:0.000}{scope}" + (missed > 1 ? $"; {missed} of {all.Length} miss it" : ""),
            Met = missed == 0,
        };
    }

    private static BarResult BestOf(CaseResult? stream, CaseResult? mine, string figure, double limit, string details)
    {
        bool measured = stream is not null && mine is not null;
        double ratio = measured ? CaseLookup.Median(mine!) / CaseLookup.Median(stream!) : 0;
        return new BarResult
        {
            Figure = figure,
            Limit = $"≤ {limit:0.00}",
            Measured = measured
                ? $"{ratio:0.000}, {Time(mine!)} against {Time(stream!)}{details}"
                : NotMeasured,
            Met = measured ? ratio <= limit : null,
        };
    }

    // The best of a few buffers, as after --filter, would not be the best.
    private static CaseResult? BestStream(CaseLookup cases, string cache)
    {
        int[] buffers = cache == CacheNames.Cold ? FilesPlan.ColdBuffers : FilesPlan.Buffers;
        return buffers.All(cases.Of(Stream, Large, cache).ContainsKey) ? cases.Best(Large, cache, Stream) : null;
    }

    private static string Ratio(CaseResult item, CaseResult stream) =>
        $"{CaseLookup.Median(item) / CaseLookup.Median(stream):0.000} with CPU {Cpu(item)}";

    private static string Cpu(CaseResult item) => $"{CaseLookup.Cpu(item) / 1e6:0.0} ms";

    private static string Time(CaseResult item) =>
        $"{CaseLookup.Median(item) / 1e6:0.00} ms at {ByteSize.ToText(item.Parameters.Buffer!.Value)}";

    private static string Where(CaseResult item) =>
        $"{ByteSize.ToText(item.Parameters.Bytes!.Value)} at {ByteSize.ToText(item.Parameters.Buffer!.Value)}";

    private sealed record Comparison(CaseResult Mine, double Ratio);
}

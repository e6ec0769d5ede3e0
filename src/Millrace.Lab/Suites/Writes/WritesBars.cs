using Millrace.Lab.Results;

namespace Millrace.Lab.Suites.Writes;

/// <summary>
/// What writing must reach, checked with the run's own medians. A bar whose cases were not measured is neither met nor
/// missed.
/// </summary>
internal static class WritesBars
{
    private const string NotMeasured = "not measured in this run";
    private const string Pipe = nameof(FileWriting.FilePipe);
    private const string Stream = nameof(FileWriting.FileStreamSync);
    private const string DefaultBuffer = nameof(FileWriting.FileStreamDefaultBuffer);
    private const string Append = nameof(RecordAppending.FilePipeAppend);
    private const int ManyWriters = 64;
    private const int Degree = 2;

    /// <summary>Checks all of them.</summary>
    public static IReadOnlyList<BarResult> Check(LabResults results)
    {
        var cases = new WritesLookup(results);
        return
        [
            SameChunk(cases),
            AtSmallestChunk(cases, Stream, 0.25),
            AtSmallestChunk(cases, DefaultBuffer, 0.60),
            Durable(cases, "larger files", "FileStream, Flush(true), File.Move", bytes => bytes > WritesPlan.SmallSize),
            Durable(cases, "4 KiB", "the same and a flush of the folder", bytes => bytes == WritesPlan.SmallSize),
            Allocated(cases),
            Collections(cases),
            Copy(cases),
            Scan(cases),
            Appends(cases),
        ];
    }

    private static BarResult SameChunk(WritesLookup cases)
    {
        const double Limit = 1.02;
        return Worst(
            Compare(cases, Stream, WritesPlan.None, item => item.Parameters.Chunk >= PipeProducer.SmallestWrite),
            $"{Pipe} / {Stream}, same chunk, not durable, every file and chunk ≥ 4 KiB, neither preallocated",
            $"≤ {Limit:0.00}, or within the run's noise",
            item => Math.Max(Limit, 1 + cases.NoiseOf(item)),
            item => $", where {Stream} differed from itself by {cases.NoiseOf(item):P1}");
    }

    private static BarResult AtSmallestChunk(WritesLookup cases, string other, double limit) => Worst(
        Compare(cases, other, WritesPlan.None, item => item.Parameters.Chunk == WritesPlan.SmallestChunk),
        $"{Pipe} / {other} at {ByteSize.ToText(WritesPlan.SmallestChunk)}, not durable",
        FormattableString.Invariant($"≤ {limit:0.00}"),
        _ => limit);

    private static BarResult Durable(WritesLookup cases, string files, string other, Func<long, bool> select)
    {
        const double Limit = 1.05;
        return Worst(
            Compare(cases, Stream, WritesPlan.Commit, item => select(item.Parameters.Bytes!.Value)),
            $"{Pipe}, durable commit of {files} / {other}",
            FormattableString.Invariant($"≤ {Limit:0.00}"),
            _ => Limit);
    }

    private static BarResult Allocated(WritesLookup cases)
    {
        const double Limit = 1024;
        CaseResult? worst = AllPipes(cases).Where(item => item.Summary!.AllocatedBytes is not null)
            .MaxBy(item => item.Summary!.AllocatedBytes);
        return new BarResult
        {
            Figure = $"{Pipe}: allocated per file created, written and committed",
            Limit = "≤ 1 KiB",
            Measured = worst is null
                ? NotMeasured
                : FormattableString.Invariant($"{worst.Summary!.AllocatedBytes:0} B at most ({Where(worst)})"),
            Met = worst is null ? null : worst.Summary!.AllocatedBytes <= Limit,
        };
    }

    private static BarResult Collections(WritesLookup cases)
    {
        CaseResult[] all = [.. AllPipes(cases).Where(item => item.Summary!.Gen0 is not null)];
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

    private static BarResult Copy(WritesLookup cases)
    {
        const double Limit = 1.03;
        CaseResult? mine = cases.Copying(nameof(FileCopying.FilePipeCopy));
        CaseResult? other = cases.Copying(nameof(FileCopying.FileCopy));
        return Worst(
            Pair(mine, other),
            $"{nameof(FileCopying.FilePipeCopy)} / {nameof(FileCopying.FileCopy)}, hot, not durable",
            FormattableString.Invariant($"≤ {Limit:0.00}"),
            _ => Limit);
    }

    private static BarResult Scan(WritesLookup cases)
    {
        const double Limit = 0.65;
        return Worst(
            [
                .. from one in cases.Scanning(1)
                   from two in cases.Scanning(Degree)
                   where one.Parameters.WithoutDegree() == two.Parameters.WithoutDegree()
                   select Comparison.Of(two, one),
            ],
            $"{nameof(FileScanning.FilePipeScan)} in {Degree} parts / {Pipe}, one reader, Buffered",
            FormattableString.Invariant($"≤ {Limit:0.00}"),
            _ => Limit);
    }

    private static BarResult Appends(WritesLookup cases)
    {
        const double Limit = 20;
        CaseResult? one = cases.Appending(Append, 1);
        CaseResult? many = cases.Appending(Append, ManyWriters);
        double? ratio = many?.Summary!.RecordsPerSecond / one?.Summary!.RecordsPerSecond;
        return new BarResult
        {
            Figure = $"{Append}: records per second of {ManyWriters} writers / of one, every record durable",
            Limit = FormattableString.Invariant($"≥ {Limit:0}"),
            Measured = ratio is null
                ? NotMeasured
                : FormattableString.Invariant($"{ratio:0.0}, {WritesLookup.Rate(many!)} against {WritesLookup.Rate(one!)}"),
            Met = ratio is null ? null : ratio >= Limit,
        };
    }

    private static IEnumerable<CaseResult> AllPipes(WritesLookup cases) =>
        new[] { WritesPlan.None, WritesPlan.Commit }.SelectMany(durability => cases.Writing(Pipe, durability));

    private static Comparison[] Compare(WritesLookup cases, string other, string durability, Func<CaseResult, bool> select) =>
    [
        .. cases.Writing(Pipe, durability).Where(select).SelectMany(mine => Pair(mine, cases.Same(other, mine))),
    ];

    private static Comparison[] Pair(CaseResult? mine, CaseResult? other) =>
        mine is null || other is null ? [] : [Comparison.Of(mine, other)];

    private static BarResult Worst(
        Comparison[] all,
        string figure,
        string limitText,
        Func<CaseResult, double> limit,
        Func<CaseResult, string>? remark = null)
    {
        if (all.Length == 0)
        {
            return new BarResult { Figure = figure, Limit = limitText, Measured = NotMeasured };
        }

        // Nearest to its own limit, or furthest past it.
        Comparison worst = all.MaxBy(item => item.Ratio / limit(item.Mine))!;
        int missed = all.Count(item => item.Ratio > limit(item.Mine));
        string scope = all.Length == 1 ? "" : $" at worst ({Where(worst.Mine)}{remark?.Invoke(worst.Mine)})";
        return new BarResult
        {
            Figure = figure,
            Limit = limitText,
            Measured = FormattableString.Invariant($"{worst.Ratio:0.000}{scope}, ")
                + $"{WritesLookup.Time(worst.Mine)} against {WritesLookup.Time(worst.Other)}"
                + (missed > 1 ? $"; {missed} of {all.Length} miss it" : ""),
            Met = missed == 0,
        };
    }

    private static string Where(CaseResult item) => item.Parameters.Chunk is { } chunk
        ? $"{ByteSize.ToText(item.Parameters.Bytes!.Value)} at {ByteSize.ToText(chunk)}"
            + (item.Parameters.Durability == WritesPlan.Commit ? ", durable" : "")
        : item.Parameters.Content ?? ByteSize.ToText(item.Parameters.Bytes ?? 0);

    private sealed record Comparison(CaseResult Mine, CaseResult Other, double Ratio)
    {
        public static Comparison Of(CaseResult mine, CaseResult other) =>
            new(mine, other, WritesLookup.Median(mine) / WritesLookup.Median(other));
    }
}

namespace Millrace.Lab.Suites.Files;

/// <summary>The targets of reading files, and the result in a sentence.</summary>
internal static class FilesTargets
{
    private const string Pipe = nameof(FileReading.FilePipe);
    private const string Stream = nameof(FileReading.FileStreamSync);
    private const string Native = nameof(FileReading.PipeReaderCreate);
    private const long Large = FilesSuite.LargeSize;
    private const string Buffered = nameof(FileReading.FilePipeBuffered);
    private const string MappedPipe = nameof(FileReading.FilePipeMapped);
    private const string Mapping = nameof(FileReading.MemoryMapped);
    private const int LastSmallBuffer = 65536;
    private const int TellingBuffer = 4096;
    private const double MaxCallingThread = 0.20;

    private static readonly string LargeText = ByteSize.ToText(Large);
    private static readonly long[] Sizes = [FilesSuite.SmallSize, Large];
    private static readonly string[] BestMethods =
        [Pipe, nameof(FileReading.FilePipeReadAhead), nameof(FileReading.FilePipeMapped)];

    private static readonly TargetDefinition[] Targets =
    [
        TargetDefinition.Ratio(
            $"{Pipe} / {Stream}, same buffer, every buffer and file", 1.02, cases => Pairs(cases, Stream, _ => true), noiseOf: Stream),
        .. Sizes.Select(bytes => TargetDefinition.Ratio(
            $"best {Buffered} / best {Floor.Read} over all blocks, {ByteSize.ToText(bytes)}",
            1.06,
            cases => Best(Of(cases, Buffered), Every(Of(cases, Floor.Read), bytes, FilesSuite.FloorBlocks), bytes))),
        TargetDefinition.Ratio(
            $"best of {string.Join(", ", BestMethods)} / best {Stream}, {LargeText}",
            0.85,
            cases => Best(cases, CacheNames.Hot, BestMethods),
            details: DescribeBest),
        Auto(0.80, Large, load: null),
        Auto(1.00, FilesSuite.SmallSize, load: null),
        Auto(1.02, Large, CaseLoad.Busy),
        TargetDefinition.Ratio(
            $"best {MappedPipe} / best {Mapping}, {LargeText}, filled in the same way",
            1.25,
            cases => from fill in cases.Of(MappedPipe, IsHotAndLarge).GroupBy(item => item.Parameters.CacheFill)
                     let other = cases.Of(Mapping, IsHotAndLarge).Where(item => item.Parameters.CacheFill == fill.Key).MinBy(Figures.Median)
                     where other is not null
                     select new CasePair(fill.MinBy(Figures.Median)!, other)),
        TargetDefinition.Ratio(
            $"{Pipe} in the block that it chooses / best fixed block, {LargeText}",
            1.03,
            cases =>
            {
                CaseResult[] fixedBlocks = [.. cases.Of(Pipe, parameters => parameters is { Block: not null, Load: null })];
                return FilesSuite.FixedBlocks.Except(fixedBlocks.Select(item => item.Parameters.Block!.Value)).Any()
                    || cases.Find(Pipe, fixedBlocks[0].Parameters with { Block = null }) is not { } mine
                    ? []
                    : [new CasePair(mine, fixedBlocks.MinBy(Figures.Median)!)];
            }),
        .. FilesSuite.Offsets.Select(offset => TargetDefinition.Ratio(
            $"{Pipe} from offset {offset.ToString("#,0", CultureInfo.InvariantCulture)} / from 0, {LargeText}",
            1.05,
            cases => CasePair.WithSame(
                cases,
                cases.Of(Pipe, parameters => parameters.Offset == offset && parameters.Load is null),
                Pipe,
                parameters => parameters with { Offset = null }))),
        TargetDefinition.Ratio(
            $"{Pipe} / {Native}, buffers up to 64 KiB", 0.95, cases => Pairs(cases, Native, buffer => buffer <= LastSmallBuffer)),
        TargetDefinition.Ratio(
            $"{Pipe} / {Native}, buffers above 64 KiB", 1.00, cases => Pairs(cases, Native, buffer => buffer > LastSmallBuffer)),
        .. FilesSuite.Libraries.Select(library => TargetDefinition.Ratio(
            $"{Pipe} / {library}, every buffer, {LargeText}",
            0.80,
            cases => CasePair.WithSame(cases, Of(cases, Pipe).Where(IsLarge), library))),
        TargetDefinition.MaxBytes($"{Pipe}: allocated per file opened, read and completed", ByteSize.KiB, cases => Of(cases, Pipe)),
        TargetDefinition.NoCollections($"{Pipe}: collections", cases => Of(cases, Pipe)),
        TargetDefinition.Ratio(
            $"cold, {LargeText}: best {Pipe} / best {Stream}", 1.05, cases => Best(cases, CacheNames.Cold, Pipe)),
        TargetDefinition.Max(
            $"cold, {LargeText}: calling thread inside ReadAsync of {Pipe}",
            $"{MaxCallingThread:P0} of the time",
            MaxCallingThread,
            cases => Of(cases, Pipe, CacheNames.Cold).Where(IsLarge),
            summary => summary.CallingThreadShare,
            (item, share) => $"{share:P1} at most ({TargetDefinition.Where(item)})"),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>States the largest file that was measured with both methods; null when there is none.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        foreach (IGrouping<long, CaseResult> file in cases.Of(Pipe).Concat(cases.Of(Stream))
            .Where(item => item.Parameters is
            {
                Cache: CacheNames.Hot,
                Options: "SequentialScan",
                CacheFill: not "small writes",
                Load: null,
                Offset: null,
                Block: null,
            })
            .GroupBy(item => item.Parameters.Bytes!.Value)
            .OrderBy(group => group.Key == Large ? 0 : 1).ThenByDescending(group => group.Key))
        {
            CaseResult[] pipes = [.. file.Where(item => item.Method == Pipe)];
            CaseResult[] streams = [.. file.Where(item => item.Method == Stream)];
            if (pipes.Length > 0 && streams.Length > 0)
            {
                return Sentence(ByteSize.ToText(file.Key), pipes, streams);
            }
        }

        return null;
    }

    private static string Sentence(string file, CaseResult[] pipes, CaseResult[] streams)
    {
        var best = new CasePair(pipes.MinBy(Figures.Median)!, streams.MinBy(Figures.Median)!);
        CaseResult? pipe = Array.Find(pipes, item => item.Parameters.Buffer == TellingBuffer);
        CaseResult? stream = Array.Find(streams, item => item.Parameters.Buffer == TellingBuffer);
        string atBest = $"{Figures.Speed(best.Ratio)} as FileStream ({Figures.Both(best.Mine, best.Other)})";
        if (pipe is null || stream is null)
        {
            return $"Reading {file}, each with its best buffer, FilePipe {atBest}.";
        }

        string first = $"{Figures.Speed(new CasePair(pipe, stream).Ratio)} as FileStream ({Figures.Both(pipe, stream)})";
        return $"Reading {file} with buffers of {Figures.Buffer(pipe)}, FilePipe {first}; with each one's best buffer it "
            + $"{atBest.Replace(" as FileStream", "", StringComparison.Ordinal)}.";
    }

    /// <summary>A method's cases of generated files, SequentialScan, and the fill that quick mode uses.</summary>
    public static IEnumerable<CaseResult> Of(
        MeasuredCases cases, string method, string cache = CacheNames.Hot, string? load = null) =>
        cases.Of(method, parameters => parameters is
        {
            File: null,
            Options: "SequentialScan",
            CacheFill: null or "large writes" or "as found",
            Offset: null,
            Block: null,
        } && parameters.Cache == cache && parameters.Load == load);

    private static bool IsLarge(CaseResult item) => item.Parameters.Bytes == Large;

    private static bool IsHotAndLarge(CaseParameters parameters) => parameters is
    {
        File: null,
        Bytes: Large,
        Options: "SequentialScan",
        Cache: CacheNames.Hot,
        Load: null,
        Offset: null,
        Block: null,
    };

    private static TargetDefinition Auto(double limit, long bytes, string? load) => TargetDefinition.Ratio(
        $"best {Pipe} (Auto) / best {Stream}, {ByteSize.ToText(bytes)}{(load is null ? "" : $", load {load}")}",
        limit,
        cases => Best(
            Of(cases, Pipe, load: load), Every(Of(cases, Stream, load: load), bytes, FilesSuite.Buffers), bytes));

    private static IEnumerable<CasePair> Pairs(MeasuredCases cases, string other, Func<int, bool> select) =>
        CasePair.WithSame(cases, Of(cases, Pipe).Where(item => select(item.Parameters.Buffer!.Value)), other);

    private static IEnumerable<CasePair> Best(MeasuredCases cases, string cache, params string[] methods) => Best(
        methods.SelectMany(method => Of(cases, method, cache)),
        Every(Of(cases, Stream, cache), Large, cache == CacheNames.Cold ? FilesSuite.ColdBuffers : FilesSuite.Buffers),
        Large);

    private static IEnumerable<CasePair> Best(IEnumerable<CaseResult> mine, IEnumerable<CaseResult> others, long bytes) =>
        mine.Where(item => item.Parameters.Bytes == bytes).MinBy(Figures.Median) is { } best
            && others.MinBy(Figures.Median) is { } other
            ? [new CasePair(best, other)]
            : [];

    // The best of a few buffers, as after --filter, would not be the best.
    private static CaseResult[] Every(IEnumerable<CaseResult> cases, long bytes, int[] buffers)
    {
        CaseResult[] found = [.. cases.Where(item => item.Parameters.Bytes == bytes)];
        return buffers.Except(found.Select(item => item.Parameters.Buffer!.Value)).Any() ? [] : found;
    }

    private static string DescribeBest(MeasuredCases cases)
    {
        CasePair[] all = [.. BestMethods.SelectMany(method => Best(cases, CacheNames.Hot, method))];
        IEnumerable<string> each = all.Select(pair => $"{pair.Mine.Method} {pair.Ratio:0.000} with CPU {Cpu(pair.Mine)}");
        return $" ({string.Join("; ", each)}; {Stream}: CPU {Cpu(all[0].Other)})";
    }

    private static string Cpu(CaseResult item) => $"{(item.Summary!.UserCpuNs + item.Summary.SystemCpuNs) / 1e6:0.0} ms";
}

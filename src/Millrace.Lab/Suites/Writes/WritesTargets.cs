namespace Millrace.Lab.Suites.Writes;

/// <summary>The targets of writing files, and the result in a sentence.</summary>
internal static class WritesTargets
{
    private const string Pipe = nameof(FileWriting.FilePipe);
    private const string Stream = nameof(FileWriting.FileStreamSync);
    private const string DefaultBuffer = nameof(FileWriting.FileStreamDefaultBuffer);
    private const string Append = nameof(RecordAppending.FilePipeAppend);
    private const int ManyWriters = 64;
    private const double MinAppendRatio = 20;
    private const int Degree = 2;

    private static readonly TargetDefinition[] Targets =
    [
        TargetDefinition.Ratio(
            $"{Pipe} / {Stream}, same chunk, not durable, every file and chunk ≥ 4 KiB, neither preallocated",
            1.02,
            cases => Pairs(cases, Stream, WritesSuite.None, item => item.Parameters.Chunk >= PipeFeeder.SmallestWrite),
            noiseOf: Stream),
        AtSmallestChunk(Stream, 0.25),
        AtSmallestChunk(DefaultBuffer, 0.60),
        Durable("larger files", "FileStream, Flush(true), File.Move", bytes => bytes > WritesSuite.SmallSize),
        Durable("4 KiB", "the same and a flush of the folder", bytes => bytes == WritesSuite.SmallSize),
        TargetDefinition.MaxBytes($"{Pipe}: allocated per file created, written and committed", ByteSize.KiB, AllPipes),
        TargetDefinition.NoCollections($"{Pipe}: collections", AllPipes),
        TargetDefinition.Ratio(
            $"{nameof(FileCopying.FilePipeCopy)} / {nameof(FileCopying.FileCopy)}, hot, not durable",
            1.03,
            cases => CasePair.WithSame(
                cases, cases.Of(nameof(FileCopying.FilePipeCopy)), nameof(FileCopying.FileCopy))),
        TargetDefinition.Ratio(
            $"{nameof(FileScanning.FilePipeScan)} in {Degree} parts / {Pipe}, one reader, Buffered",
            0.65,
            cases => CasePair.WithSame(
                cases, cases.Of(nameof(FileScanning.FilePipeScan), parameters => parameters.Degree == Degree), Pipe, WithDegree(1))),
        TargetDefinition.Ratio(
            $"{nameof(FileScanning.FilePipeScan)} in {Degree} parts / {Floor.ReadTwo}, two threads that only read and sum or count",
            1.15,
            cases => from item in cases.Of(nameof(FileScanning.FilePipeScan), parameters => parameters.Degree == Degree)
                     let floor = cases.Of(Floor.ReadTwo, parameters => parameters with { Block = null } == item.Parameters)
                         .MinBy(Figures.Median)
                     where floor is not null
                     select new CasePair(item, floor)),
        new(
            $"{Append}: records per second of {ManyWriters} writers / of one, every record durable",
            $"≥ {MinAppendRatio:0}",
            Appends),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>States the measurements of writing, durability and appending; null when none of it was.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string all = string.Join("; ", new[]
        {
            Wrote(cases, WritesSuite.None, "writing"),
            Wrote(cases, WritesSuite.Commit, "writing durably"),
            Appending(cases, WritesSuite.Writers[0]) is { } one && Appending(cases, WritesSuite.Writers[^1]) is { } many
                ? $"{WritesSuite.Writers[^1]} writers appended {Rate(many)} durable records a second, one {Rate(one)}"
                : null,
        }.OfType<string>());
        return all.Length == 0 ? null : Figures.Capital(all) + ".";
    }

    private static string? Wrote(MeasuredCases cases, string durability, string begin)
    {
        CasePair pair = Pairs(cases, Stream, durability, _ => true)
            .OrderBy(each => each.Mine.Parameters.Chunk == WritesSuite.MainChunk ? 0 : 1)
            .ThenByDescending(each => each.Mine.Parameters.Bytes)
            .FirstOrDefault();
        return pair.Mine is not { } mine
            ? null
            : $"{begin} {ByteSize.ToText(mine.Parameters.Bytes!.Value)} in chunks of {ByteSize.ToText(mine.Parameters.Chunk!.Value)}, "
                + $"FilePipe {Figures.Speed(pair.Ratio)} as FileStream ({Figures.Both(mine, pair.Other)})";
    }

    private static (string Text, bool Met)? Appends(MeasuredCases cases) =>
        Appending(cases, 1) is { } one && Appending(cases, ManyWriters) is { } many
            && many.Summary!.RecordsPerSecond / one.Summary!.RecordsPerSecond is { } ratio
            ? (TargetDefinition.Invariant($"{ratio:0.0}, {Rate(many)} against {Rate(one)}"), ratio >= MinAppendRatio)
            : null;

    private static TargetDefinition AtSmallestChunk(string other, double limit) => TargetDefinition.Ratio(
        $"{Pipe} / {other} at {ByteSize.ToText(WritesSuite.SmallestChunk)}, not durable",
        limit,
        cases => Pairs(cases, other, WritesSuite.None, item => item.Parameters.Chunk == WritesSuite.SmallestChunk));

    private static TargetDefinition Durable(string files, string other, Func<long, bool> select) => TargetDefinition.Ratio(
        $"{Pipe}, durable commit of {files} / {other}",
        1.05,
        cases => Pairs(cases, Stream, WritesSuite.Commit, item => select(item.Parameters.Bytes!.Value)));

    // The cases of writing files; scans have no chunk.
    private static IEnumerable<CaseResult> Writing(MeasuredCases cases, string durability) =>
        cases.Of(Pipe, parameters => parameters.Chunk is not null && parameters.Durability == durability)
            .OrderBy(item => item.Parameters.Bytes).ThenBy(item => item.Parameters.Chunk);

    private static IEnumerable<CaseResult> AllPipes(MeasuredCases cases) =>
        Writing(cases, WritesSuite.None).Concat(Writing(cases, WritesSuite.Commit));

    private static IEnumerable<CasePair> Pairs(
        MeasuredCases cases, string other, string durability, Func<CaseResult, bool> select) =>
        CasePair.WithSame(cases, Writing(cases, durability).Where(select), other);

    private static Func<CaseParameters, CaseParameters> WithDegree(int degree) => parameters => parameters with { Degree = degree };

    private static CaseResult? Appending(MeasuredCases cases, int writers) =>
        cases.Of(Append, parameters => parameters.Writers == writers).FirstOrDefault();

    private static string Rate(CaseResult item) =>
        string.Create(CultureInfo.InvariantCulture, $"{item.Summary!.RecordsPerSecond:#,0}");
}

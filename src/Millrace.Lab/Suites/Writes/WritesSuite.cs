namespace Millrace.Lab.Suites.Writes;

/// <summary>The suite "writes": every way to write a file, to copy and to scan one, and to append to it.</summary>
internal sealed class WritesSuite(SuiteLimits? limits = null, long length = WritesSuite.LargeSize)
    : Suite(limits ?? WritesSuite.Quick, limits ?? WritesSuite.Full)
{
    // In results: when the bytes are on the device, and the kind of file scanned.
    public const string None = "none";
    public const string Commit = "commit";
    public const string EveryRecord = "every record";
    public const string Lines = "lines";
    public const string Integers = "integers";

    // The groups of a launch.
    public const string Unflushed = "unflushed";
    public const string Durable = "durable";

    /// <summary>A file of one page: its price is that of the device's flushes.</summary>
    public const long SmallSize = 4 * ByteSize.KiB;

    /// <summary>The file that most statements are about; the one that is copied and summed is as long.</summary>
    public const long LargeSize = 128 * ByteSize.MiB;

    /// <summary>The smallest chunk, for which a system call costs more than writing its bytes.</summary>
    public const int SmallestChunk = 512;
    public const int MainChunk = 65536;

    // How many times as long as the other file, which is 4 MiB and fits into a processor's cache.
    private const int LargeByMedium = 32;

    private const int FloorDegree = 2;

    // The best for two threads depends on the caches that they share.
    private static readonly int[] FloorBlocks = [262144, 524288, 1048576, 2097152];
    private static readonly int[] QuickDegrees = [1, 2, 4];
    private static readonly int[] Degrees = [1, 2, 3, 4, 8];

    // Records that all writers append together. Each record of a single writer waits for the device, which takes half a second
    // where a flush takes a quarter of a millisecond; and 64 writers have 32 each, so that opening them is little of it.
    private const int Records = 2048;
    private const string Baseline = nameof(FileWriting.FileStreamSync);
    private const string DefaultBuffer = nameof(FileWriting.FileStreamDefaultBuffer);
    private const string AllBytes = nameof(FileWriting.WriteAllBytes);
    private const string Pipe = nameof(FileWriting.FilePipe);
    private const string WriteBehind = nameof(FileWriting.FilePipeWriteBehind);
    private const string Direct = nameof(FileWriting.FilePipeDirect);

    public static readonly int[] Writers = [1, 8, 64];

    public static readonly string[] WriteMethods =
    [
        Baseline, nameof(FileWriting.FileStreamAsync), DefaultBuffer, AllBytes, nameof(FileWriting.RandomAccess),
        nameof(FileWriting.PipeWriterCreate), Pipe, WriteBehind, Direct,
    ];

    public static readonly string[] CopyMethods =
        [nameof(FileCopying.FileCopy), nameof(FileCopying.Cp), nameof(FileCopying.FilePipeCopy)];

    // A system call of these costs next to nothing beside its bytes.
    private static readonly int[] FloorChunks = [MainChunk, 262144, 1048576];

    private static readonly int[] QuickChunks = [SmallestChunk, 4096, MainChunk, 1048576];
    private static readonly int[] FullChunks =
        [SmallestChunk, 1024, 2048, 4096, 8192, 16384, 32768, MainChunk, 131072, 262144, 524288, 1048576];

    // Of full mode's durable files, whose price is the device's.
    private static readonly int[] DurableChunks = [4096, MainChunk, 1048576];

    // Everything at once cannot be flushed, and the effect of a 4 KiB buffer on a flush is of no interest.
    private static readonly string[] DurableMethods = [.. WriteMethods.Except([AllBytes, DefaultBuffer])];
    private static readonly string[] QuickDurableMethods = [Baseline, Pipe, WriteBehind, Direct];

    // Four minutes in all. A verdict needs five rounds of every launch.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(240),
        Groups = Both(new() { MinRounds = 5, MaxRounds = 12, Time = TimeSpan.FromSeconds(20) }),
    };

    private static readonly SuiteLimits Full = new()
    {
        Groups = Both(new() { MinRounds = 10, MaxRounds = 20, Time = TimeSpan.FromMinutes(6) }),
    };

    public override string Name => "writes";

    public override string Description =>
        "every method of writing a file, durably or not, copying one, scanning it in parts and appending records to it";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe/*/commit", "FileStreamSync*/*/commit"];

    public override IReadOnlyList<string> Methods { get; } =
    [
        .. WriteMethods, .. CopyMethods, nameof(FileScanning.FilePipeScan),
        nameof(RecordAppending.FileStreamAppend), nameof(RecordAppending.FilePipeAppend), Floor.Write, Floor.ReadTwo,
    ];

    protected override string? WhyNoUserFile =>
        "The suite writes uses its own files and does not accept --file. Name the folder, and so the disk, "
        + "with --data.";

    public static RunLimits[] Both(RunLimits limits) => [limits with { Group = Unflushed }, limits with { Group = Durable }];

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        ((WritesCase)planned).Small(new WritesInputs(files));

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => WritesTargets.Check(results);

    public override string? Finding(LabResults results) => WritesTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data) => WritesInputs.In(data, length).Files;

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        var inputs = new WritesInputs(files);
        string folder = inputs.Folder;
        bool quick = options.Mode == LabMode.Quick;
        long large = inputs.Integers.Bytes;
        long medium = large / LargeByMedium;
        return ((IEnumerable<WritesCase>)
        [
            .. UnflushedCases(folder, medium, isLarge: false, quick),
            .. UnflushedCases(folder, large, isLarge: true, quick),
            .. from file in (IEnumerable<(long Bytes, int Chunk)>)
               [
                   (SmallSize, (int)SmallSize),
                   .. from bytes in new[] { medium, large }
                      from chunk in quick ? [MainChunk] : DurableChunks
                      select (bytes, chunk),
               ]
               from method in quick ? QuickDurableMethods : DurableMethods
               select new WriteCase(method, folder, file.Bytes, file.Chunk, Durability.OnCommit),
            .. from bytes in new[] { medium, large }
               from durability in quick ? [Durability.None] : new[] { Durability.None, Durability.OnCommit }
               from chunk in durability == Durability.None ? FloorChunks : [MainChunk]
               select new WriteCase(Floor.Write, folder, bytes, chunk, durability),
            .. from file in new[] { inputs.Integers, inputs.Text }
               from block in FloorBlocks
               select new ScanCase(Floor.ReadTwo, folder, file, FloorDegree) { Block = block },
            .. CopyMethods.Select(method => new CopyCase(method, folder, inputs.Integers)),
            .. from file in new[] { inputs.Integers, inputs.Text }
               from degree in quick ? QuickDegrees : Degrees
               select new ScanCase(
                   degree == 1 ? nameof(FileScanning.FilePipe) : nameof(FileScanning.FilePipeScan), folder, file, degree),
            .. Writers.Select(writers => new AppendCase(nameof(RecordAppending.FilePipeAppend), folder, writers, Records)),
            .. (quick ? [1] : Writers)
                .Select(writers => new AppendCase(nameof(RecordAppending.FileStreamAppend), folder, writers, Records)),
        ]).SelectMany(planned => WithNoise(planned, planned.IsBaseline));
    }

    private static IEnumerable<WriteCase> UnflushedCases(string folder, long bytes, bool isLarge, bool quick)
    {
        foreach (int chunk in quick ? QuickChunks : FullChunks)
        {
            IEnumerable<string> methods = !quick ? WriteMethods.Where(method => method != AllBytes)
                : chunk == SmallestChunk ? [Baseline, DefaultBuffer, Pipe]
                : [Baseline, Pipe];
            foreach (string method in methods)
            {
                yield return new WriteCase(method, folder, bytes, chunk, Durability.None);
            }
        }

        // What quick mode only samples, for the large file; everything at once has no chunks.
        if (!quick || isLarge)
        {
            foreach (string method in quick ? WriteMethods.Except([Baseline, DefaultBuffer, Pipe]) : [AllBytes])
            {
                yield return new WriteCase(method, folder, bytes, MainChunk, Durability.None);
            }
        }
    }
}

/// <summary>The files that cases of copying and scanning read, as the list that a run hands to its processes.</summary>
internal sealed class WritesInputs(IReadOnlyList<TestFile> files)
{
    private const long SmallBytes = 512 * ByteSize.KiB;

    public IReadOnlyList<TestFile> Files => files;

    public TestFile SmallIntegers => files[0];

    public TestFile FirstLines => files[1];

    public TestFile Text => files[2];

    public TestFile Integers => files[3];

    public string Folder => ResultFolder.In(Path.GetDirectoryName(Integers.Path)!);

    public static WritesInputs In(string data, long bytes) => new(
    [
        TestFile.OfIncrements(data, Math.Min(SmallBytes, bytes)),
        TestFile.OfFirstLines(data),
        TestFile.OfManyLines(data),
        TestFile.OfIncrements(data, bytes),
    ]);
}

namespace Millrace.Lab.Suites.Files;

/// <summary>The suite "files": every way to read a file.</summary>
internal sealed class FilesSuite(SuiteLimits? limits = null, long warmUpBytes = FilesSuite.SmallSize)
    : Suite(limits ?? FilesSuite.Quick, limits ?? FilesSuite.Full)
{
    public const string SuiteName = "files";
    public const long SmallSize = 4 * ByteSize.MiB;
    public const long LargeSize = 128 * ByteSize.MiB;
    private const string Baseline = nameof(FileReading.FileStreamSync);
    private const string Native = nameof(FileReading.PipeReaderCreate);
    private const string Pipe = nameof(FileReading.FilePipe);

    // For the memory of a case, of which the warm-up should leave nothing.
    private const int TinyBytes = 4096;
    private const int TinyBuffer = 512;

    public static readonly int[] Buffers = [2048, 4096, 16384, 65536, 262144, 1048576];

    /// <summary>The buffers of the methods that quick mode only samples.</summary>
    public static readonly int[] SampledBuffers = [4096, 65536, 1048576];
    public static readonly int[] ColdBuffers = [65536, 1048576];

    /// <summary>Libraries that read a stream as a pipe.</summary>
    public static readonly string[] Libraries = [nameof(FileReading.SocketsUnofficial), nameof(FileReading.NerdbankStreams)];

    public static readonly string[] AllMethods =
    [
        Baseline,
        nameof(FileReading.FileStreamAsync),
        Native,
        nameof(FileReading.PipePump),
        .. Libraries,
        nameof(FileReading.OverlappedPipe),
        nameof(FileReading.MemoryMapped),
        Pipe,
        nameof(FileReading.FilePipeBuffered),
        nameof(FileReading.FilePipeReadAhead),
        nameof(FileReading.FilePipeMapped),
        nameof(FileReading.FilePipeDirect),
    ];

    /// <summary>The machine's limit; see <see cref="RawReading"/>.</summary>
    public static readonly string[] FloorMethods = [Floor.Read, Floor.ReadTwo, Floor.Map, Floor.Sum];

    /// <summary>The blocks of <see cref="Floor.Read"/>: the best depends on the processor.</summary>
    public static readonly int[] FloorBlocks = [65536, 131072, 262144, 524288, 1048576, 2097152, 4194304];

    /// <summary>Where reading begins in a few cases: the kernel copies slowly between places that lie differently within their pages.</summary>
    public static readonly long[] Offsets = [5, 4089, 4095];

    /// <summary>Block sizes set for a file pipe, for comparison with the one that it chooses.</summary>
    public static readonly int[] FixedBlocks = [262144, 524288, 1048576, 2097152];

    // Of the floor's rows that have no best block.
    private const int FloorPiece = 1048576;
    private const int OffsetBuffer = 65536;

    private static readonly long[] QuickSizes = [SmallSize, LargeSize];
    private static readonly long[] FullSizes = [SmallSize, LargeSize, 512 * ByteSize.MiB];
    private static readonly int[] WarmUpBuffers = [4096, 262144];
    private static readonly string[] MainMethods = [Baseline, Native, Pipe];

    // Compared with the floor on every file.
    private static readonly string[] SampledOfAll = [nameof(FileReading.FilePipeBuffered)];

    // The others do not open a FileStream.
    private static readonly string[] MethodsWithOptions =
        [Baseline, nameof(FileReading.FileStreamAsync), Native, nameof(FileReading.PipePump), .. Libraries];

    // Three minutes in all, of which some are needed for files, three warm-ups, and the passes after the rounds. Two
    // processors of 2024 need about a second and a half per hot round.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(190),
        Groups =
        [
            new() { Group = CacheNames.Hot, MinRounds = 5, MaxRounds = 20, Time = TimeSpan.FromSeconds(21) },
            new() { Group = CacheNames.Cold, MinRounds = 5, MaxRounds = 7, Time = TimeSpan.FromSeconds(8) },
            new() { Group = CaseLoad.Busy, MinRounds = 5, MaxRounds = 20, Time = TimeSpan.FromSeconds(14), WithPasses = false },
        ],
    };

    // As long as enough samples take: half an hour where a quick run takes two minutes.
    private static readonly SuiteLimits Full = new()
    {
        Groups =
        [
            new() { Group = CacheNames.Hot, MinRounds = 10, MaxRounds = 20, Time = TimeSpan.FromSeconds(150) },
            new() { Group = CacheNames.Cold, MinRounds = 5, MaxRounds = 10, Time = TimeSpan.FromMinutes(3) },
            new() { Group = CaseLoad.Busy, MinRounds = 10, MaxRounds = 20, Time = TimeSpan.FromMinutes(2), WithPasses = false },
        ],
    };

    public override string Name => SuiteName;

    public override string Description => "every method of reading a file: FileStream, pipes, mappings and Millrace's file pipes";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe*", "FileStreamSync*"];

    public override IReadOnlyList<string> Methods { get; } = [.. AllMethods, .. FloorMethods];

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        (FileCase)planned with { Source = TestFile.OfIncrements(DataPath(options), TinyBytes), Buffer = TinyBuffer, Offset = 0, Block = 0 };

    public override IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files)
    {
        TestFile file = TestFile.OfIncrements(DataPath(options), warmUpBytes);
        return WarmUpBuffers.Select(
            buffer => (FileCase)planned with { Source = file, Buffer = buffer, Fill = CacheFill.LargeWrites, Offset = 0, Block = 0 });
    }

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => FilesTargets.Check(results);

    public override string? Finding(LabResults results) => FilesTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data) => options.FilePath is { } path
        ? [UserFile.Inspect(path)]
        : [.. (options.Mode == LabMode.Quick ? QuickSizes : FullSizes).Select(bytes => TestFile.OfIncrements(data, bytes))];

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        const FileOptions Sequential = FileOptions.SequentialScan;
        const FileOptions Asynchronous = Sequential | FileOptions.Asynchronous;
        TestFile large = files[^1];
        return options.Mode == LabMode.Quick
            ?
            [
                .. files.SelectMany(file => Hot(MainMethods, file, Buffers)),
                .. Hot(Libraries, large, Buffers),
                .. Hot([.. AllMethods.Except(MainMethods).Except(Libraries)], large, SampledBuffers),
                .. files.Where(file => file != large).SelectMany(file => Hot(SampledOfAll, file, SampledBuffers)),
                .. files.SelectMany(file => FloorOf(file, CacheControl.DefaultFill(file))),
                .. FromOffsets(large),
                .. InFixedBlocks(large),
                .. Product([Baseline, Pipe], large, ColdBuffers, Sequential, CacheState.Cold, CacheFill.None),
            ]
            :
            [
                .. from file in files
                   from state in new[] { (CacheState.Hot, CacheControl.DefaultFill(file)), (CacheState.Cold, CacheFill.None) }
                   from planned in Product(AllMethods, file, Buffers, Sequential, state.Item1, state.Item2)
                       .Concat(Product(MethodsWithOptions, file, Buffers, Asynchronous, state.Item1, state.Item2))
                   select planned,
                .. from file in files
                   where file is { Generated: true, Bytes: LargeSize }
                   from fill in new[] { CacheFill.SmallWrites, CacheFill.ReadBack }
                   from planned in Product(AllMethods, file, SampledBuffers, Sequential, CacheState.Hot, fill)
                       .Concat(FloorOf(file, fill))
                   select planned,
                .. files.SelectMany(file => FloorOf(file, CacheControl.DefaultFill(file))),
                .. FromOffsets(files.FirstOrDefault(file => file.Bytes == LargeSize) ?? large),
                .. InFixedBlocks(files.FirstOrDefault(file => file.Bytes == LargeSize) ?? large),
            ];

        static IEnumerable<PlannedCase> Hot(string[] methods, TestFile file, int[] buffers) =>
            Product(methods, file, buffers, Sequential, CacheState.Hot, CacheControl.DefaultFill(file));
    }

    // What two threads gain when nothing else runs, they may lose when they have to share the processors.
    protected override IEnumerable<PlannedCase> BusyCases(LabOptions options, IReadOnlyList<TestFile> files, Uri server) =>
        from file in options.Mode == LabMode.Quick ? [files[^1]] : files
        let fill = CacheControl.DefaultFill(file)
        from planned in Product([Baseline, Pipe], file, Buffers, FileOptions.SequentialScan, CacheState.Hot, fill)
            .Concat(FloorOf(file, fill))
        select planned;

    private static IEnumerable<PlannedCase> FloorOf(TestFile file, CacheFill fill) =>
        from method in FloorMethods
        from block in method == Floor.Read ? FloorBlocks : [FloorPiece]
        select new FileCase(method, file, block, FileOptions.SequentialScan, CacheState.Hot, fill);

    // A user's own file may be shorter.
    private static IEnumerable<PlannedCase> FromOffsets(TestFile file) =>
        from offset in file.Generated ? Offsets : []
        select new FileCase(
            Pipe, file, OffsetBuffer, FileOptions.SequentialScan, CacheState.Hot, CacheControl.DefaultFill(file))
        {
            Offset = offset,
        };

    private static IEnumerable<PlannedCase> InFixedBlocks(TestFile file) =>
        from block in file.Generated ? FixedBlocks : []
        select new FileCase(
            Pipe, file, OffsetBuffer, FileOptions.SequentialScan, CacheState.Hot, CacheControl.DefaultFill(file))
        {
            Block = block,
        };

    private static IEnumerable<PlannedCase> Product(
        string[] methods, TestFile file, int[] buffers, FileOptions options, CacheState cache, CacheFill fill) =>
        from buffer in buffers
        from method in methods
        from planned in WithNoise(new FileCase(method, file, buffer, options, cache, fill), method == Baseline)
        select planned;
}

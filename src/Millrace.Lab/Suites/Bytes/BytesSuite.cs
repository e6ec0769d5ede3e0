namespace Millrace.Lab.Suites.Bytes;

/// <summary>The suite "bytes": how bytes arrive, times how they are iterated over.</summary>
internal sealed class BytesSuite(SuiteLimits? limits = null, long length = BytesSuite.Length)
    : Suite(limits ?? BytesSuite.Quick, limits ?? BytesSuite.Full)
{
    public const long Length = 128 * ByteSize.MiB;
    public const int MainBuffer = 65536;

    /// <summary>The end of the names of methods that count lines.</summary>
    public const string Lines = ".Lines";

    // The methods that the targets are about.
    public const string Sequence = "MillraceBytes.AwaitForEach";
    public const string PlainSequence = "AsyncBytes.AwaitForEach";
    public const string ArrayFor = "AllAtOnce.For";
    public const string Segments = "MillraceBytes.Vector";
    public const string TextLines = "StreamReader" + Lines;
    public const string ByteLines = "MillraceLines" + Lines;
    public const string Baseline = "Increments.Span";
    private const long WarmUpLength = 32 * ByteSize.KiB;

    // Several of them in the file of warm-ups.
    private const int WarmUpBuffer = 4096;

    // Indexes of the files; the large one is the last.
    private const int SmallFile = 0;
    private const int FirstLines = 1;
    private const int TextFile = 2;

    private static readonly int[] Buffers = [4096, MainBuffer, 262144];
    private static readonly int[] Readers = [1, 2, 4];
    private static readonly string[] Walks = ["For", "ForEach", "Reduce", "Span", "Vector"];

    /// <summary>Those in .NET; the others are in <see cref="UrlSession.Methods"/>.</summary>
    public static readonly string[] AllMethods =
    [
        .. Of("AsyncBytes", "AwaitForEach", "ForEach", "Reduce"),
        .. Of("AllAtOnce", Walks),
        .. Of("Increments", Walks),
        .. Of("Completion", Walks),
        .. Of("PipeReader", Walks),
        .. Of("MillraceBytes", "AwaitForEach", "ForEach", "Reduce", "Span", "Vector"),
        TextLines,
        ByteLines,
    ];

    // Of the file, quick mode measures all walks of two arrivals and the telling ones of the others.
    private static readonly string[] QuickFileMethods =
    [
        PlainSequence,
        .. Of("AllAtOnce", "For", "ForEach", "Reduce", "Span"),
        .. Of("Increments", Walks),
        "Completion.Span",
        "PipeReader.Span",
        "PipeReader.Vector",
        Sequence,
        "MillraceBytes.Span",
        Segments,
    ];

    private static readonly string[] QuickHttpMethods =
        [PlainSequence, ArrayFor, "AllAtOnce.Span", Baseline, "Increments.Vector", "PipeReader.Vector", Sequence, Segments];

    // Single bytes, the way that most programs take, and the fastest. Those that wait for all bytes take two to three seconds each.
    private static readonly string[] QuickUrlSessionMethods = ["UrlSessionBytesFor", UrlSession.DataFor, UrlSession.Best];

    // What differs with the increments and with the readers is how bytes arrive; one or two walks show it.
    private static readonly string[] MethodsWithIncrements =
    [
        PlainSequence, .. Of("Increments", Walks), .. Of("PipeReader", Walks), Sequence, "MillraceBytes.Span", Segments,
    ];

    private static readonly string[] MethodsAtOnce =
    [
        PlainSequence, "AllAtOnce.Span", Baseline, "Increments.Vector", "Completion.Span", "PipeReader.Span", Sequence,
        "MillraceBytes.Span", Segments,
    ];

    // A server has the file in its memory, and AllAtOnce in one array.
    private static readonly long MaxFileBytes = Array.MaxLength;

    // Five minutes in all. A round takes about 8 seconds, 5 of them for the plain async sequence, and 3 more with Swift; a verdict
    // needs five rounds of every launch.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(300),
        Groups = [Limits(15, 24, TimeSpan.FromSeconds(12), TimeSpan.FromSeconds(32))],
    };

    // 100 invocations or 30 seconds per case, whichever comes first, as in the article.
    private static readonly SuiteLimits Full = new()
    {
        Groups = [Limits(9, 102, TimeSpan.FromSeconds(30), TimeSpan.MaxValue)],
    };

    public override string Name => "bytes";

    public override string Description =>
        "every way to iterate over bytes from a file or a URL: async sequences, arrays, increments, callbacks, pipes, URLSession in Swift";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["MillraceBytes.*", "Increments.Span*"];

    public override IReadOnlyList<string> Methods => [.. AllMethods, .. UrlSession.Methods];

    // Each pass invokes the plain async sequence again, which takes as long as all others together.
    public override double PassesAsLaunches => 0.7;

    // A server reads them before the first launch does.
    public override bool MakesFilesOnce => true;

    /// <summary>The limits of the only group, for all launches together.</summary>
    /// <param name="caseTime">The time of all invocations of a case, after which it gets no more of them.</param>
    public static RunLimits Limits(int minRounds, int maxRounds, TimeSpan caseTime, TimeSpan roundTime) => new()
    {
        Group = CacheNames.Hot,
        OfAllLaunches = true,
        MinRounds = minRounds,
        MaxRounds = maxRounds,
        CaseTime = caseTime,
        Time = roundTime,
        MaxPerVisit = 1,
    };

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files)
    {
        var mine = (ByteCase)planned;
        Uri? server = mine.Source.Address is { } address ? new Uri(address, ".") : null;
        return mine with
        {
            Source = SourceOf(files, mine.Source.File.Content == FileContent.Csv ? FirstLines : SmallFile, server),
            Buffer = WarmUpBuffer,
        };
    }

    public override IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        [(ByteCase)Small(planned, options, files) with { Readers = 1 }];

    public override IServedFiles Serve(ServeRequest request) => ByteServer.Start(request.Inputs);

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => BytesTargets.Check(results);

    public override string? Finding(LabResults results) => BytesTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        TestFile small = TestFile.OfRandom(data, WarmUpLength);
        if (options.FilePath is not { } path)
        {
            return [small, TestFile.OfFirstLines(data), TestFile.OfCsv(data), TestFile.OfRandom(data, length)];
        }

        TestFile mine = UserFile.Inspect(path, FileContent.Random);
        return mine.Bytes <= MaxFileBytes
            ? [small, mine]
            : throw new LabException(
                $"{path} has {ByteSize.ToText(mine.Bytes)}: methods that take all bytes at once need an array, which holds at "
                + $"most {ByteSize.ToText(MaxFileBytes)}. Name a smaller file with --file.");
    }

    protected override IReadOnlyList<TestFile> MakeFiles(string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        // Compiled now, beside no measurement; the launches find it, or say why there is none.
        _ = plan.Any(planned => UrlSession.Is(planned.Method)) ? UrlSessionProgram.WhyNot : null;
        return base.MakeFiles(data, files, plan);
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        int large = files.Count - 1;
        ByteSource file = SourceOf(files, large, server: null);
        ByteSource http = SourceOf(files, large, server);
        IEnumerable<PlannedCase> bytes = options.Mode == LabMode.Quick
            ? Product(QuickFileMethods, file, MainBuffer, 1).Concat(Product([.. QuickHttpMethods, .. QuickUrlSessionMethods], http, MainBuffer, 1))
            :
            from source in new[] { file, http }
            from planned in (PlannedCase[])
            [
                .. Product(AllMethods.Where(method => !method.EndsWith(Lines, StringComparison.Ordinal)), source, MainBuffer, 1),
                .. Product(source == http ? UrlSession.Methods : [], source, MainBuffer, 1),
                .. Buffers.Where(buffer => buffer != MainBuffer)
                    .SelectMany(buffer => Product(MethodsWithIncrements, source, buffer, 1)),
                .. Readers.Where(readers => readers > 1)
                    .SelectMany(readers => Product(MethodsAtOnce, source, MainBuffer, readers)),
            ]
            select planned;
        return files.Count > TextFile
            ? bytes.Concat(Product([TextLines, ByteLines], SourceOf(files, TextFile, server: null), MainBuffer, 1))
            : bytes;
    }

    private static IEnumerable<PlannedCase> Product(IEnumerable<string> methods, ByteSource source, int buffer, int readers) =>
        methods.SelectMany(method =>
        {
            var planned = new ByteCase(method, source, buffer, readers);
            return WithNoise(planned, planned.IsBaseline);
        });

    private static ByteSource SourceOf(IReadOnlyList<TestFile> files, int index, Uri? server) =>
        new(files[index], server is null ? null : new Uri(server, index.ToString(CultureInfo.InvariantCulture)));

    private static IEnumerable<string> Of(string arrival, params string[] walks) => walks.Select(walk => $"{arrival}.{walk}");
}

using Millrace.Transfer;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>The suite "transfers": every way to move a file between two processes.</summary>
internal sealed class TransfersSuite(SuiteLimits? limits = null, long large = TransfersSuite.LargeSize)
    : Suite(limits ?? TransfersSuite.Quick, limits ?? TransfersSuite.Full)
{
    // In results: no coding, no digest, and files that reach the device when the system sees fit.
    public const string None = "none";
    public const string Gzip = "gzip";
    public const string Commit = "commit";
    public const string Sha256 = "sha-256";
    public const string Sockets = "sockets";
    public const string Download = "download";
    public const string Upload = "upload";

    // The groups of a launch.
    public const string Unflushed = "unflushed";
    public const string Durable = "durable";
    public const string Linked = "linked";
    public const int MainBuffer = 65536;
    public const long LargeSize = 512 * ByteSize.MiB;
    public const long LinkBitsPerSecond = 1_000_000_000;

    // Arrays of a length that the pool keeps for each processor; its default is 32. HttpClient's HTTP/2 windows need more,
    // and arrays that do not fit are allocated in every transfer. The command is started so, too.
    private const string PoolVariable = "DOTNET_SYSTEM_BUFFERS_SHAREDARRAYPOOL_MAXARRAYSPERPARTITION";
    private const string PoolArrays = "1024";
    private const string Baseline = TransferMethod.HttpClient;
    private const string BaselineSha256 = TransferMethod.HttpClientSha256;

    /// <summary>All but the floor's.</summary>
    public static readonly string[] AllMethods = [.. TransferMethod.All.Where(method => !method.IsRaw).Select(method => method.Name)];

    // The buffers of the published figures, and a larger one.
    private static readonly int[] QuickBuffers = [MainBuffer, 81920, 262144];
    public static readonly int[] FullBuffers = [4096, .. QuickBuffers];

    // Of the raw row, the best of which depends on the processor.
    private static readonly int[] FloorBlocks = [MainBuffer, 262144, 1048576];

    // Round trips over the shaped link, in milliseconds: a building, a country, an ocean.
    private static readonly int[] RoundTripsMs = [1, 25, 60];

    private static readonly TransferMethod[] OthersGrpc = [.. TransferMethod.All.Where(method => method.Peers is not null)];

    // The rows of the targets, one of each protocol, and those of others' libraries of gRPC; the other rows are in full mode.
    private static readonly string[] QuickMain =
    [
        Baseline, TransferMethod.HttpClientHttp2, TransferMethod.Http1, TransferMethod.Http2,
        TransferMethod.GrpcDirect, TransferMethod.GrpcWebDirect, TransferMethod.GrpcWebTextDirect,
        BaselineSha256, TransferMethod.Http1Sha256,
        .. OthersGrpc.Select(method => method.Name),
    ];

    private static readonly string[] QuickOther = [Baseline, TransferMethod.Http1, TransferMethod.GrpcDirect];
    private static readonly string[] QuickGzip = [Baseline, TransferMethod.GrpcDirect, TransferMethod.GrpcNetByteArray, TransferMethod.GrpcNetRentedArray];

    // For a file as long as this one, an array more or less shows in no figure.
    private static readonly string[] LargeMethods =
    [
        Baseline, TransferMethod.Http1, TransferMethod.Http2, TransferMethod.Tus,
        TransferMethod.GrpcDirect, TransferMethod.GrpcWebDirect,
        BaselineSha256, TransferMethod.Http1Sha256, TransferMethod.GrpcDirectSha256,
    ];

    private static readonly string[] LinkedMethods =
        [Baseline, TransferMethod.Http1, TransferMethod.Http2, TransferMethod.GrpcDirect];

    // Up to seven minutes: half of it warms up three launches, with 42 small transfers 36 times a phase. A verdict needs
    // five rounds of every launch.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(400),
        Groups = Groups(
            new() { MinRounds = 5, MaxRounds = 16, Time = TimeSpan.FromSeconds(14) },
            new() { MinRounds = 5, MaxRounds = 12, Time = TimeSpan.FromSeconds(20) },
            new() { MinRounds = 2, MaxRounds = 2, Time = TimeSpan.Zero }),
    };

    private static readonly SuiteLimits Full = new()
    {
        Groups = Groups(
            new() { MinRounds = 5, MaxRounds = 20, Time = TimeSpan.FromMinutes(8) },
            new() { MinRounds = 5, MaxRounds = 20, Time = TimeSpan.FromMinutes(2) },
            new() { MinRounds = 2, MaxRounds = 2, Time = TimeSpan.Zero }),
    };

    public override string Name => "transfers";

    public override string Description => "every method of uploading and downloading a file, by HTTP, tus, gRPC and gRPC-Web";

    public override IReadOnlyList<string> ExampleFilters { get; } =
        ["Http1/*/65536/*", "GrpcDirect/*/65536/*", "HttpClient/*/65536/*"];

    public override IReadOnlyDictionary<string, string> Environment { get; } =
        new Dictionary<string, string> { [PoolVariable] = PoolArrays };

    public override IReadOnlyList<string> Methods { get; } = [.. AllMethods, Floor.Sockets];

    public override bool CountsLargeObjects => true;

    // A store recognizes a file by when it was last changed.
    public override bool MakesFilesOnce => true;

    protected override string? WhyNoUserFile =>
        "The suite transfers uses its own files and does not accept --file. Name the folder, and so the disk, with "
        + "--data.";

    /// <summary>The limits of the groups, in their order. A link takes seconds per invocation, so it has no passes.</summary>
    public static RunLimits[] Groups(RunLimits unflushed, RunLimits durable, RunLimits linked) =>
    [
        unflushed with { Group = Unflushed },
        durable with { Group = Durable },
        linked with { Group = Linked, WithPasses = false },
        unflushed with { Group = CaseLoad.Busy, WithPasses = false },
    ];

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        ((TransferCase)planned).Small(new TransfersInputs(files));

    // Buffers differ in how often a loop runs, and durable files in one call: the compiled code is the same.
    public override IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        [((TransferCase)planned).Small(new TransfersInputs(files)) with { Durability = Durability.None, Buffer = MainBuffer }];

    public override long CompiledElsewhere(Uri? server) => server is null ? 0 : ServerMeters.CompiledMethods(server);

    public override IServedFiles Serve(ServeRequest request) => request.Address is { } address
        ? ServerEnd.StartFar(request, IPAddress.Parse(address))
        : ServerEnd.Start(request);

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => TransfersTargets.Check(results);

    public override string? Finding(LabResults results) => TransfersTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data) => TransfersInputs.In(data, large).Files;

    protected override IReadOnlyList<TestFile> MakeFiles(
        string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        var all = new TransfersInputs(files);
        TransfersInputs inputs = all.With(large: plan.Any(planned => planned.CachedFile == all.Large));
        TransferFolders.Make(inputs.Folder);
        base.MakeFiles(data, inputs.Files, plan);
        return inputs.Files;
    }

    // A filter that no case of quick mode matches means cases of full mode: if you name a case, you want it, and not an hour
    // of all the others.
    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        var inputs = new TransfersInputs(files);
        var ends = new TransferEnds(inputs.Folder, server);
        if (options.Mode == LabMode.Full)
        {
            return FullCases(inputs, ends);
        }

        TransferCase[] quick = [.. QuickCases(inputs, ends)];
        string[] others = [.. options.Filters.Where(glob => !Array.Exists(quick, planned => Matches(glob, planned)))];
        return quick.Concat(FullCases(inputs, ends).Where(planned => Array.Exists(others, glob => Matches(glob, planned))));

        static bool Matches(string glob, TransferCase planned) => new CaseFilter([glob]).Selects(planned.Name, planned.Id);
    }

    protected override IEnumerable<PlannedCase> BusyCases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        var inputs = new TransfersInputs(files);
        var ends = new TransferEnds(inputs.Folder, server);
        return [.. Product(QuickOther, ends, inputs.Published, [MainBuffer]), .. Product([Floor.Sockets], ends, inputs.Published, FloorBlocks)];
    }

    private static IEnumerable<TransferCase> QuickCases(TransfersInputs inputs, TransferEnds ends) =>
    [
        .. Product(QuickMain, ends, inputs.Published, [MainBuffer]),
        .. Product(QuickOther, ends, inputs.Published, [.. QuickBuffers.Where(buffer => buffer != MainBuffer)]),
        .. Product([Floor.Sockets], ends, inputs.Published, FloorBlocks),
        .. Product(QuickGzip, ends, inputs.Published, [MainBuffer], compression: TransferCompression.Gzip),
    ];

    private static IEnumerable<TransferCase> FullCases(TransfersInputs inputs, TransferEnds ends) =>
    [
        .. from each in new[] { ends, ends with { Server = null } }
           from compression in new[] { TransferCompression.None, TransferCompression.Gzip }
           from planned in Product(AllMethods, each, inputs.Published, FullBuffers, compression: compression)
           select planned,
        .. Product([Floor.Sockets], ends, inputs.Published, FloorBlocks),
        .. Product(LargeMethods, ends, inputs.Published, FullBuffers, Durability.OnCommit),
        .. inputs.Large is { } large
            ?
            [
                .. Product(LargeMethods, ends, large, [MainBuffer]),
                .. Product([Floor.Sockets], ends, large, FloorBlocks),
                .. RoundTripsMs.SelectMany(roundTrip => Product(
                    LinkedMethods, ends with { Link = new LinkRates(roundTrip, LinkBitsPerSecond) }, large, [MainBuffer])),
            ]
            : Array.Empty<TransferCase>(),
    ];

    private static IEnumerable<TransferCase> Product(
        IReadOnlyList<string> methods,
        TransferEnds ends,
        TestFile file,
        int[] buffers,
        Durability durability = Durability.None,
        TransferCompression compression = TransferCompression.None) =>
        from direction in Enum.GetValues<TransferDirection>()
        from buffer in buffers
        from method in methods.Select(TransferMethod.Find)
        where method.Moves(direction)
            && (compression == TransferCompression.None || method.HasCompression)
        from planned in WithNoise(
            new TransferCase(method.Name, ends, file, direction, buffer, durability, compression),
            IsMeasuredTwice(method.Name, ends, buffer, compression))
        select (TransferCase)planned;

    // With gzip, and over a link, an invocation takes long, and what varies is the same processors.
    private static bool IsMeasuredTwice(string method, TransferEnds ends, int buffer, TransferCompression compression) =>
        method is Baseline or BaselineSha256
        && buffer == MainBuffer && compression == TransferCompression.None && ends.Link is null;
}

/// <summary>The files that are moved, as the list that a run hands to its processes.</summary>
internal sealed class TransfersInputs(IReadOnlyList<TestFile> files)
{
    // Longer than a client may send in one piece because it is small.
    private const long SmallBytes = 320 * ByteSize.KiB;

    public IReadOnlyList<TestFile> Files => files;

    public TestFile Small => files[0];

    /// <summary>The file of most cases, like that of the published figures.</summary>
    public TestFile Published => files[1];

    /// <summary>The large one; null in a run without it.</summary>
    public TestFile? Large => files.Count > 2 ? files[2] : null;

    public string Folder => Path.GetDirectoryName(Path.GetDirectoryName(files[0].Path))!;

    /// <summary>The files that cases can be planned with; nothing is written.</summary>
    public static TransfersInputs In(string data, long large)
    {
        string folder = TransferFolders.Server(TransferFolders.In(data));

        // Its checksum, which takes seconds to compute, does not matter in a run without it.
        var planned = new TestFile(Path.Combine(folder, "large"), large, Checksum: 0, Generated: true)
        {
            Content = FileContent.Random,
        };
        return new([TestFile.OfRandom(folder, SmallBytes), TestFile.OfCsv(folder), planned]);
    }

    /// <summary>The same with the large one as it will be, or without it.</summary>
    public TransfersInputs With(bool large) => new(
        large
            ? [Small, Published, TestFile.OfRandom(Path.GetDirectoryName(Small.Path)!, Large!.Bytes)]
            : [Small, Published]);
}

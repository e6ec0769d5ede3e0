namespace Millrace.Lab.Suites.Serving;

/// <summary>The suite "server": what serving files costs with each transport, against unmodified Kestrel and nginx.</summary>
internal sealed class ServerSuite(SuiteLimits? limits = null, long large = ServerSuite.LargeSize, int requests = ServerSuite.Requests)
    : Suite(limits ?? ServerSuite.Quick, limits ?? ServerSuite.Full)
{
    /// <summary>The files that are moved whole.</summary>
    public const long LargeSize = 128 * ByteSize.MiB;

    /// <summary>The file that is asked for often.</summary>
    public const int SmallSize = 1024;
    private const long WarmUpSize = ByteSize.MiB;
    private const int WarmUpRequests = 1000;

    // As many as take half a second: starting the program that sends them takes some milliseconds.
    private const int Requests = 20_480;

    // Six minutes. A verdict needs five rounds of every launch; the servers run on from one to the next, and stay warm.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(360),
        WarmUpPhases = 3,
        Groups = [new() { Group = ServerCase.Only, MinRounds = 5, MaxRounds = 10, Time = TimeSpan.FromSeconds(80), WithPasses = false }],
    };

    private static readonly SuiteLimits Full = new()
    {
        Groups = [new() { Group = ServerCase.Only, MinRounds = 15, MaxRounds = 30, Time = TimeSpan.FromMinutes(5), WithPasses = false }],
    };

    public override string Name => "server";

    public override string Description => "what serving a file takes: Kestrel with each transport, millrace serve, and nginx";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["Serve*/128MiB/*", "Nginx/128MiB/*", "Stock/128MiB/*"];

    public override IReadOnlyList<string> Methods { get; } = WebServer.All;

    public override bool MakesFilesOnce => true;

    protected override string? WhyNoUserFile =>
        "The suite server serves files that it makes, and takes none with --file. Name the folder, and so the disk, with --data.";

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files)
    {
        var inputs = new ServerInputs(files);
        ServerCase own = (ServerCase)planned with { Role = null, Plan = 0 };
        return own.Requests == 1 ? own with { Source = inputs.WarmUp } : own with { Requests = Math.Min(WarmUpRequests, own.Requests) };
    }

    public override IServedFiles Serve(ServeRequest request) => WebServers.Start(new ServerInputs(request.Inputs).Folder);

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => ServerTargets.Check(results);

    public override string? Finding(LabResults results) => ServerTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        string folder = ServerFolders.Files(ServerFolders.In(data));
        return [TestFile.OfRandom(folder, SmallSize), TestFile.OfRandom(folder, WarmUpSize), TestFile.OfRandom(folder, large)];
    }

    protected override IReadOnlyList<TestFile> MakeFiles(string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        ServerFolders.Make(new ServerInputs(files).Folder);
        return base.MakeFiles(data, files, plan);
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        var inputs = new ServerInputs(files);
        var first = new ServerCase(WebServer.Stock, server, inputs.Large, HttpVersionOf.Http1, ServedWork.Download);
        string[] applications = [WebServer.Stock, WebServer.MillraceSockets];
        string[] commands = [WebServer.ServeKestrel, WebServer.Serve];
        ServerCase small = first with { Source = inputs.Small, Requests = requests };
        return
        [
            .. Each(first, [.. WebServer.All]),
            .. Each(first with { Http = HttpVersionOf.Http2 }, [.. applications, .. commands]),
            .. from http in Enum.GetValues<HttpVersionOf>()
               from planned in Each(first with { Http = http, Work = ServedWork.UploadToNothing }, applications)
               select planned,
            .. Each(first with { Work = ServedWork.UploadToFile }, applications),
            .. Each(first with { Work = ServedWork.UploadToStore }, commands),
            .. Each(first with { Http = HttpVersionOf.Http2, Work = ServedWork.GrpcDownload }, applications),
            .. Each(first with { Http = HttpVersionOf.Http2, Work = ServedWork.GrpcUpload }, applications),
            .. from http in Enum.GetValues<HttpVersionOf>()
               from planned in Each(small with { Http = http, Work = ServedWork.Text, Connections = 64 }, applications)
               select planned,
            .. Each(small with { Connections = 32 }, [.. WebServer.All]),
        ];
    }

    // The first is the baseline, whose second copy shows the noise.
    private static IEnumerable<PlannedCase> Each(ServerCase first, string[] methods) =>
        from method in methods
        from planned in WithNoise(first with { Method = method }, method == methods[0])
        select planned;
}

/// <summary>The files that are served, as the list that a run hands to its processes.</summary>
internal sealed class ServerInputs(IReadOnlyList<TestFile> files)
{
    public TestFile Small => files[0];

    public TestFile WarmUp => files[1];

    public TestFile Large => files[2];

    public string Folder => Path.GetDirectoryName(Path.GetDirectoryName(files[0].Path))!;
}

/// <summary>The folders of the suite, all on the disk of the laboratory's data.</summary>
internal static class ServerFolders
{
    public const string UploadedName = "uploaded.bin";

    public static string In(string data) => Path.Combine(data, "millrace-server");

    /// <summary>The folder that the applications and nginx serve; it contains the measured files.</summary>
    public static string Files(string folder) => Path.Combine(folder, "files");

    /// <summary>The folder of one of Millrace's stores, which lets no other store share it.</summary>
    public static string Store(string folder, string method) => Path.Combine(folder, method);

    /// <summary>Where a server keeps uploads.</summary>
    public static string FolderOf(string folder, string method) =>
        method is WebServer.Serve or WebServer.ServeKestrel ? Store(folder, method) : Files(folder);

    public static void Make(string folder)
    {
        Directory.CreateDirectory(Files(folder));
        foreach (string method in WebServer.All)
        {
            Directory.CreateDirectory(Store(folder, method));
        }
    }

    /// <summary>Removes the uploads: the kernel forgets bytes it has not written yet.</summary>
    public static void Clear(string folder)
    {
        File.Delete(Path.Combine(Files(folder), UploadedName));
        foreach (string method in WebServer.All)
        {
            File.Delete(Path.Combine(Store(folder, method), UploadedName));
        }
    }
}

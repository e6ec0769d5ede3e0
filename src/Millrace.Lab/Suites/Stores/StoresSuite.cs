using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Stores;

/// <summary>The suite "stores": a file to a bucket of the user's own and back, through `millrace serve` and by rclone without it.</summary>
internal sealed class StoresSuite(SuiteLimits? limits = null, long large = StoresSuite.LargeSize)
    : Suite(limits ?? StoresSuite.Quick, limits ?? StoresSuite.Full)
{
    public const long LargeSize = 512 * ByteSize.MiB;

    // Two parts of a multipart upload.
    private const long WarmUpSize = 12 * ByteSize.MiB;

    // Twelve minutes: a round takes half a minute on a machine that also runs the object store.
    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromMinutes(12),
        WarmUpPhases = 2,
        Groups = [new() { Group = StoreCase.Only, MinRounds = 5, MaxRounds = 10, Time = TimeSpan.FromSeconds(60), MaxPerVisit = 1, WithPasses = false }],
    };

    private static readonly SuiteLimits Full = new()
    {
        WarmUpPhases = 3,
        Groups = [new() { Group = StoreCase.Only, MinRounds = 15, MaxRounds = 30, Time = TimeSpan.FromMinutes(5), MaxPerVisit = 1, WithPasses = false }],
    };

    public override string Name => "stores";

    public override string Description => "a file to a bucket and back, through millrace serve and by rclone without it";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["*/512MiB/*/download"];

    public override IReadOnlyList<string> Methods { get; } = StoreMethod.All;

    public override bool MakesFilesOnce => true;

    public override bool UsesBucket => true;

    protected override string? WhyNoUserFile =>
        "The suite stores moves a file that it makes, and takes none with --file. Name the bucket with --bucket and the folder with --data.";

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        (StoreCase)planned with { Role = null, Plan = 0, Source = files[0] };

    // Another program starts again every time.
    public override IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        planned is StoreCase { UsesProgram: true } ? [] : base.WarmUps(planned, options, files);

    public override IServedFiles Serve(ServeRequest request) => BucketServer.Start(
        request.Bucket ?? throw new LabException("The suite stores serves a bucket, and none was named."), request.Inputs);

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => StoresTargets.Check(results);

    public override string? Finding(LabResults results) => StoresTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        string folder = Path.Combine(data, "millrace-stores", "files");
        return [TestFile.OfRandom(folder, WarmUpSize), TestFile.OfRandom(folder, large)];
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        LabBucket bucket = options.Bucket ?? throw new NoCaseException(
            "Name a bucket of yours with --bucket s3://BUCKET/PREFIX (and --s3-endpoint URL --s3-path-style, unless it is at AWS); "
            + "the credentials come from the environment. docs/lab-stores.md shows how to start an object store on this machine.");
        return
        [
            .. from direction in (string[])[TransfersSuite.Upload, TransfersSuite.Download]
               from method in StoreMethod.All
               where method switch
               {
                   StoreMethod.RcloneOnePut => direction == TransfersSuite.Upload,
                   StoreMethod.MillraceRedirected => direction == TransfersSuite.Download,
                   _ => true,
               }
               from planned in WithNoise(new StoreCase(method, bucket, server, files[1], direction), method == StoreMethod.Rclone)
               select planned,
        ];
    }
}

internal static class StoreMethod
{
    /// <summary>Millrace's client, which sends to a server, which writes to the bucket. SHA-256 is computed and checked.</summary>
    public const string Millrace = "Millrace";

    /// <summary>The same client, which the server sends to the bucket itself; downloads only.</summary>
    public const string MillraceRedirected = "MillraceRedirected";

    /// <summary>rclone copyto straight to the bucket, which computes and checks MD5.</summary>
    public const string Rclone = "Rclone";

    /// <summary>The same with one request for the whole file; uploads only.</summary>
    public const string RcloneOnePut = "RcloneOnePut";

    /// <summary>As Rclone, without a digest.</summary>
    public const string RcloneUnchecked = "RcloneUnchecked";

    public static readonly string[] All = [Rclone, RcloneOnePut, RcloneUnchecked, Millrace, MillraceRedirected];
}

/// <summary>The targets of moving a file through a server to a bucket, and the result in a sentence.</summary>
internal static class StoresTargets
{
    // Of rclone's time.
    private const double Limit = 1.10;

    // The client computes SHA-256, and no server takes a part of the processors.
    private const double UncheckedLimit = 1.30;

    private static readonly TargetDefinition[] Targets =
    [
        .. from direction in (string[])[TransfersSuite.Upload, TransfersSuite.Download]
           from other in (string[])[StoreMethod.Rclone, StoreMethod.RcloneUnchecked]
           select TargetDefinition.Ratio(
               $"{StoreMethod.Millrace} / {(other == StoreMethod.Rclone && direction == TransfersSuite.Upload ? $"the faster of {other} and {StoreMethod.RcloneOnePut}" : other)}, {direction}",
               Limit,
               cases => [.. Pairs(cases, other, direction), .. other == StoreMethod.Rclone ? Pairs(cases, StoreMethod.RcloneOnePut, direction) : []]),
        .. from other in ((string Method, double Limit)[])[(StoreMethod.Rclone, Limit), (StoreMethod.RcloneUnchecked, UncheckedLimit)]
           select TargetDefinition.Ratio(
               $"{StoreMethod.MillraceRedirected} / {other.Method}, {TransfersSuite.Download}",
               other.Limit,
               cases => Pairs(cases, other.Method, TransfersSuite.Download, StoreMethod.MillraceRedirected)),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>The times of an upload and a download; null when they were not measured.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string[] parts =
        [
            .. from work in ((string Direction, string Verb)[])[(TransfersSuite.Upload, "moving a file through a server to"), (TransfersSuite.Download, "moving one from")]
               let pair = Pairs(cases, StoreMethod.Rclone, work.Direction).FirstOrDefault()
               where pair.Mine is not null
               select $"{work.Verb} the bucket, Millrace {Figures.Speed(pair.Ratio)} as rclone ({Figures.Both(pair.Mine, pair.Other)})",
        ];
        return parts.Length == 0 ? null : Figures.Capital(string.Join("; ", parts)) + ".";
    }

    private static IEnumerable<CasePair> Pairs(MeasuredCases cases, string other, string direction, string mine = StoreMethod.Millrace) =>
        CasePair.WithSame(cases, cases.Of(mine, parameters => parameters.Direction == direction), other);
}

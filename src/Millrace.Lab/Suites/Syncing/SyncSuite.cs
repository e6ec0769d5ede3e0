using Millrace.Lab.Suites.Serving;
using Millrace.Lab.Suites.Transfers;

namespace Millrace.Lab.Suites.Syncing;

/// <summary>The suite "sync": files and folders that another machine has already, mostly; beside rsync, zsync and rclone.</summary>
internal sealed class SyncSuite(SuiteLimits? limits = null, SyncSizes? sizes = null)
    : Suite(limits ?? SyncSuite.Quick, limits ?? SyncSuite.Full)
{
    // What differs between the two sides.
    public const string Edited = "edited";
    public const string Inserted = "inserted";
    public const string Whole = "whole";
    public const string Unchanged = "unchanged";
    public const string New = "new";

    /// <summary>The rows without another side.</summary>
    public const string BlockList = "block list";

    public const long LinkBitsPerSecond = 100_000_000;
    public const long SmallFileBytes = 4 * ByteSize.KiB;

    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromMinutes(12),
        WarmUpPhases = 2,
        Launches = 2,
        Groups = Groups(new() { MinRounds = 2, MaxRounds = 4, Time = TimeSpan.FromSeconds(90) }),
    };

    private static readonly SuiteLimits Full = new()
    {
        WarmUpPhases = 3,
        Groups = Groups(new() { MinRounds = 3, MaxRounds = 10, Time = TimeSpan.FromMinutes(10) }),
    };

    public override string Name => "sync";

    public override string Description => "changed files and folders to a server and back, beside rsync, zsync and rclone";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["*/edited/*", "*/unchanged/*"];

    public override IReadOnlyList<string> Methods { get; } = SyncMethod.All;

    public override bool MakesFilesOnce => true;

    protected override string? WhyNoUserFile => "The suite sync changes the files that it makes, and takes none with --file. Name the folder with --data.";

    public static RunLimits[] Groups(RunLimits limits) =>
        [.. ((string[])[SyncCase.Near, SyncCase.Linked]).Select(group => limits with { Group = group, MaxPerVisit = 1, WithPasses = false })];

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        (SyncCase)planned with { Role = null, Plan = 0, Source = files[0], Files = Math.Min(((SyncCase)planned).Files, SyncSizes.FewFiles), IsLinked = false };

    // Another program starts again every time.
    public override IEnumerable<PlannedCase> WarmUps(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) =>
        planned is SyncCase { UsesProgram: true } ? [] : base.WarmUps(planned, options, files);

    public override IServedFiles Serve(ServeRequest request) => SyncServer.Start(request);

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => SyncTargets.Check(results);

    public override string? Finding(LabResults results) => SyncTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        string folder = SyncFolders.In(data);
        return [TestFile.OfRandom(folder, SyncSizes.WarmUpBytes), TestFile.OfRandom(folder, SizesOf(options.Mode).Bytes)];
    }

    protected override IReadOnlyList<TestFile> MakeFiles(string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        base.MakeFiles(data, files, plan);
        foreach (TestFile file in files)
        {
            SyncFolders.MakeVersions(file);
        }

        foreach (int count in plan.OfType<SyncCase>().Where(planned => planned.Files > 0).Select(planned => planned.Files).Append(SyncSizes.FewFiles).Distinct())
        {
            SyncFolders.MakeFiles(SyncFolders.In(data), count);
        }

        return files;
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        SyncSizes used = SizesOf(options.Mode);
        var any = new SyncCase(SyncMethod.Rsync, server, files[1], Edited);
        return ((IEnumerable<SyncCase>)
        [
            .. from linked in (bool[])[false, true]
               from content in (string[])[Edited, Inserted]
               from direction in (string[])[TransfersSuite.Upload, TransfersSuite.Download]
               from method in (string[])[SyncMethod.Rsync, SyncMethod.Millrace, SyncMethod.Zsync]
               where method != SyncMethod.Zsync || direction == TransfersSuite.Download
               select any with { Method = method, Content = content, Direction = direction, IsLinked = linked },
            .. from direction in (string[])[TransfersSuite.Upload, TransfersSuite.Download]
               from method in (string[])[SyncMethod.Rsync, SyncMethod.Millrace]
               select any with { Method = method, Content = Whole, Direction = direction },
            any with { Method = SyncMethod.Millrace, Content = Whole, Direction = TransfersSuite.Upload, IsLinked = true },
            .. from method in (string[])[SyncMethod.Rsync, SyncMethod.Millrace, SyncMethod.Rclone]
               select any with { Method = method, Content = Unchanged, Direction = TransfersSuite.Upload, Files = used.UnchangedFiles },

            // rclone waits for 10 ms between two requests of WebDAV: minutes.
            .. from method in (string[])[SyncMethod.Rsync, SyncMethod.Millrace]
               select any with { Method = method, Content = New, Direction = TransfersSuite.Upload, Files = used.NewFiles },
            any with { Method = SyncMethod.Millrace, Content = New, Direction = TransfersSuite.Upload, Files = used.NewFiles, IsDurable = true },
            .. from method in (string[])[SyncMethod.Sha256, SyncMethod.BlockSums] select any with { Method = method, Content = BlockList, Direction = null },
        ]).SelectMany(planned => WithNoise(planned, planned is { Method: SyncMethod.Rsync, Content: Edited, IsLinked: false, IsUpload: true }));
    }

    private SyncSizes SizesOf(LabMode mode) => sizes ?? (mode == LabMode.Quick ? SyncSizes.Quick : SyncSizes.Full);
}

internal static class SyncMethod
{
    /// <summary>`millrace sync`, in this process.</summary>
    public const string Millrace = "Millrace";

    /// <summary>rsync, to or from its own daemon. The baseline.</summary>
    public const string Rsync = "Rsync";

    /// <summary>zsync, with a file of sums that zsyncmake has made before; downloads only.</summary>
    public const string Zsync = "Zsync";

    /// <summary>rclone sync to the same Millrace server, over WebDAV.</summary>
    public const string Rclone = "Rclone";

    /// <summary>The sums of a file's blocks, as a server makes them.</summary>
    public const string BlockSums = "BlockSums";

    /// <summary>OpenSSL's SHA-256 of the same file, read alike.</summary>
    public const string Sha256 = "Sha256";

    public static readonly string[] All = [Rsync, Millrace, Zsync, Rclone, Sha256, BlockSums];
}

/// <param name="Bytes">Of the large file.</param>
internal sealed record SyncSizes(long Bytes, int UnchangedFiles, int NewFiles)
{
    public const long WarmUpBytes = 4 * ByteSize.MiB;
    public const int FewFiles = 20;

    public static readonly SyncSizes Quick = new(256 * ByteSize.MiB, 10_000, 2_000);
    public static readonly SyncSizes Full = new(ByteSize.GiB, 100_000, 10_000);
}

/// <summary>One sync.</summary>
/// <param name="Server">Where the process of <see cref="SyncServer"/> answers.</param>
/// <param name="Source">The large file; of a case of small files only its folder.</param>
/// <param name="Content">What differs.</param>
internal sealed record SyncCase(string Method, Uri Server, TestFile Source, string Content, string? Role = null) : PlannedCase(Method, Role)
{
    public const string Near = "near";
    public const string Linked = "linked";

    public string? Direction { get; init; }

    /// <summary>How many small files; 0 for the large one.</summary>
    public int Files { get; init; }

    /// <summary>Whether the server waits for its device.</summary>
    public bool IsDurable { get; init; }

    public bool IsLinked { get; init; }

    public override bool IsBaseline => Method is SyncMethod.Rsync or SyncMethod.Sha256;

    public bool UsesProgram => Method is SyncMethod.Rsync or SyncMethod.Zsync or SyncMethod.Rclone;

    /// <summary>Whether the target has another version, so that a relay counts the bytes sent, which costs time where they are many.</summary>
    public bool IsDelta => Content is SyncSuite.Edited or SyncSuite.Inserted;

    public bool IsUpload => Direction == TransfersSuite.Upload;

    public override string? Foreign => UsesProgram ? "the client is a separate process" : null;

    public override bool NeedsServer => true;

    public override TestFile CachedFile => Source;

    protected override string IdleGroup => IsLinked ? Linked : Near;

    protected override string MissingCases => IsLinked ? "cases over a link" : $"rows {Method}";

    public override CaseParameters Parameters => new()
    {
        Bytes = Files > 0 ? SyncSuite.SmallFileBytes : Source.Bytes,
        Files = Files > 0 ? Files : null,
        Content = Content,
        Direction = Direction,
        Durability = Direction is null ? null : IsDurable ? TransfersSuite.Commit : TransfersSuite.None,
        Cache = CacheNames.Hot,
        LinkBitsPerSecond = IsLinked ? SyncSuite.LinkBitsPerSecond : null,
    };

    public override CaseMethod Create() => new SyncedFolder(this);

    // The large file is read before each invocation, by the check of the one before.
    public override CaseState CreateState(CacheControl? cache) =>
        new ServerState(this, cache: null, UsesProgram || Direction is null || IsLinked ? null : Server);

    public override void Clear()
    {
        if (Content is SyncSuite.Whole or SyncSuite.New)
        {
            SyncFolders.Clear(this);
        }
    }

    public override void Verify() => SyncFolders.Verify(this);

    protected override string? Obstacle() => base.Obstacle()
        ?? Method switch
        {
            SyncMethod.Rsync => Installed.WhyNot("rsync", "rsync"),
            SyncMethod.Zsync => Installed.WhyNot("zsync", "zsync") ?? Installed.WhyNot("zsyncmake", "zsync"),
            SyncMethod.Rclone => Installed.WhyNot("rclone", "rclone"),
            _ => null,
        }
        ?? (IsLinked ? SyncServer.WhyNoLink(Server) : null);
}

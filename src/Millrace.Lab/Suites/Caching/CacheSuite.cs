using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Suites.Caching;

/// <summary>The suite "cache": how much of a file that others use stays in the page cache while a large one is read.</summary>
internal sealed class CacheSuite(SuiteLimits? limits = null, long? memory = null) : Suite(limits ?? CacheSuite.Quick, limits ?? CacheSuite.Full)
{
    public const string FileStreamSync = nameof(FileStreamSync);
    public const string FilePipe = nameof(FilePipe);
    public const string FilePipeUncached = nameof(FilePipeUncached);

    /// <summary>Memory of the group. The file of others has half of it, the large file eight times as much.</summary>
    private const long QuickMemory = 512 * ByteSize.MiB;
    private const long FullMemory = 2048 * ByteSize.MiB;
    private const int HotPart = 2;
    private const int LargeTimes = 8;
    private const long SmallBytes = 4 * ByteSize.MiB;

    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(120),
        Groups = [new() { Group = CacheNames.Cold, MinRounds = 1, MaxRounds = 2, Time = TimeSpan.FromSeconds(40), MaxPerVisit = 1, WithPasses = false }],
    };

    private static readonly SuiteLimits Full = new()
    {
        Groups = [new() { Group = CacheNames.Cold, MinRounds = 2, MaxRounds = 3, Time = TimeSpan.FromSeconds(300), MaxPerVisit = 1, WithPasses = false }],
    };

    public override string Name => "cache";

    public override string Description => "what is left in the page cache of a file that others use when a large one was read beside it";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe*", "FileStreamSync*"];

    public override IReadOnlyList<string> Methods { get; } = [FileStreamSync, FilePipe, FilePipeUncached];

    public override bool MakesFilesOnce => true;

    protected override string? WhyNoUserFile => "The suite cache makes its own files and does not accept --file. Name the folder, and so the disk, with --data.";

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files)
    {
        var large = (CacheCase)planned;
        return large with { ReadBytes = Math.Min(SmallBytes, large.ReadBytes), Memory = null };
    }

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => CacheTargets.Check(results);

    public override string? Finding(LabResults results) => CacheTargets.Finding(results);

    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data)
    {
        long bytes = MemoryIn(options.Mode);
        string folder = Path.Combine(data, "millrace-cache");
        return [TestFile.OfIncrements(folder, bytes / HotPart), TestFile.OfIncrements(folder, bytes * LargeTimes)];
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server) =>
        Methods.Select(method => new CacheCase(method, files[1], files[0], files[1].Bytes, MemoryIn(options.Mode)))
            .SelectMany(planned => WithNoise(planned, planned.IsBaseline));

    private long MemoryIn(LabMode mode) => memory ?? (mode == LabMode.Quick ? QuickMemory : FullMemory);
}

/// <param name="Large">The file that is read.</param>
/// <param name="Hot">The file that others use.</param>
/// <param name="ReadBytes">How much of the large file is read.</param>
/// <param name="Memory">The memory of the group, in bytes; null where the page cache does not matter.</param>
internal sealed record CacheCase(string Method, TestFile Large, TestFile Hot, long ReadBytes, long? Memory, string? Role = null)
    : PlannedCase(Method, Role, CacheState.Cold)
{
    public override bool IsBaseline => Method == CacheSuite.FileStreamSync;

    public override CaseParameters Parameters => new()
    {
        Bytes = ReadBytes,
        Cache = CacheNames.ToText(CacheState.Cold),
        Options = Memory is { } bytes ? $"{ByteSize.ToText(Hot.Bytes)} of others in {ByteSize.ToText(bytes)}" : null,
    };

    public override CaseMethod Create() => new CacheMethod(this);

    public override CaseState CreateState(CacheControl? cache) =>
        Memory is { } bytes && OperatingSystem.IsLinux() ? new CacheGroupState(this, bytes) : base.CreateState(cache);

    protected override string MissingCases => "cases";

    protected override string? Obstacle() => CacheControl.WhyNoCold(Large) ?? (Memory is null ? null : MemoryGroup.WhyNot());
}

/// <summary>Puts the hot file, and nothing of the large one, into the page cache of a group, and counts the pages left of both.</summary>
[SupportedOSPlatform("linux")]
internal sealed class CacheGroupState(CacheCase planned, long memory) : CaseState(planned, cache: null)
{
    private MemoryGroup? _group;
    private PagesLeft? _left;

    public override PagesLeft? Left => _left;

    public override string? Prepare()
    {
        // An invocation that failed has no end.
        Leave();
        using var hot = new PageCacheView(planned.Hot.Path);
        using var large = new PageCacheView(planned.Large.Path);
        hot.Drop();
        large.Drop();
        _group = MemoryGroup.Create(memory);
        _group.Enter();
        hot.ReadIn();
        double resident = hot.ResidentFraction();
        return resident >= 1 ? null : $"not hot: {resident:P1} of the file of others was in the page cache";
    }

    public override void Finish()
    {
        // Before this process goes elsewhere, where more of both would have room.
        _left = new PagesLeft(In(planned.Hot.Path), In(planned.Large.Path));
        Leave();
    }

    private void Leave()
    {
        _group?.Leave();
        _group?.Dispose();
        _group = null;
    }

    private static double In(string path)
    {
        using var view = new PageCacheView(path);
        return view.ResidentFraction();
    }
}

/// <summary>The methods that read the large file: an invocation opens it, sums its integers, and closes it.</summary>
internal sealed class CacheMethod(CacheCase planned) : CaseMethod
{
    private const int BufferBytes = 256 * 1024;

    private readonly byte[] _buffer = new byte[BufferBytes];

    public override Func<long> Find(string name) => name switch
    {
        CacheSuite.FileStreamSync => ReadStream,
        CacheSuite.FilePipe => () => ReadPipe(keep: true),
        CacheSuite.FilePipeUncached => () => ReadPipe(keep: false),
        _ => throw Unknown(name),
    };

    private long ReadStream()
    {
        var sum = default(Checksum);
        using var stream = new FileStream(planned.Large.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, FileOptions.SequentialScan);
        int read;
        while (sum.Bytes < planned.ReadBytes && (read = stream.Read(_buffer)) > 0)
        {
            sum.Add(_buffer.AsSpan(0, read));
        }

        return Checked(sum);
    }

    private long ReadPipe(bool keep)
    {
        var sum = default(Checksum);
        using FilePipeReader reader = Millrace.FilePipe.OpenRead(planned.Large.Path, new FileReadOptions { Strategy = ReadStrategy.Buffered, KeepCached = keep });
        bool isCompleted = false;
        while (!isCompleted && sum.Bytes < planned.ReadBytes)
        {
            ReadResult result = reader.Read();
            isCompleted = result.IsCompleted;
            sum.Add(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.GetPosition(result.Buffer.FirstSpan.Length));
        }

        return Checked(sum);
    }

    /// <summary>A warm-up ends before the file does.</summary>
    private long Checked(Checksum sum) => sum.Bytes != planned.Large.Bytes || sum.Sum == planned.Large.Checksum
        ? sum.Sum
        : throw new InvalidDataException($"the sum of {planned.Large.Path} is {sum.Sum} and not {planned.Large.Checksum}");
}

/// <summary>The targets of the page cache, and the result in a sentence.</summary>
internal static class CacheTargets
{
    private static readonly TargetDefinition[] Targets =
    [
        Left("others' pages left", CacheSuite.FilePipeUncached, "≥ 99 %", summary => summary.OthersPagesLeft, left => left >= 0.99),
        Left("others' pages left, control", CacheSuite.FilePipe, "≤ 50 %", summary => summary.OthersPagesLeft, left => left <= 0.50),
        Left("pages of the file that was read", CacheSuite.FilePipeUncached, "≤ 1 %", summary => summary.OwnPagesLeft, left => left <= 0.01),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        return Of(cases, CacheSuite.FilePipeUncached)?.Summary?.OthersPagesLeft is { } with && Of(cases, CacheSuite.FilePipe)?.Summary?.OthersPagesLeft is { } without
            ? TargetDefinition.Invariant(
                $"After a large file was read beside it, a file of others has {with * 100:0.#} % of its pages left in the page cache if KeepCached is false, and {without * 100:0.#} % otherwise.")
            : null;
    }

    private static TargetDefinition Left(string figure, string method, string limit, Func<CaseSummary, double?> value, Func<double, bool> isMet) => new(
        $"{figure}, {method}",
        limit,
        cases => Of(cases, method) is { } item && value(item.Summary!) is { } left
            ? (TargetDefinition.Invariant($"{left * 100:0.00} % ({ByteSize.ToText(item.Parameters.Bytes ?? 0)} beside {item.Parameters.Options})"), isMet(left))
            : null);

    private static CaseResult? Of(MeasuredCases cases, string method) => cases.Of(method, static _ => true).FirstOrDefault();
}

using Millrace.Lab.Suites.Writes;

namespace Millrace.Lab.Suites.Small;

/// <summary>The suite "small": many small files, of which opening, naming and closing is most of the work.</summary>
internal sealed class SmallSuite(SuiteLimits? limits = null) : Suite(limits ?? SmallSuite.Quick, limits ?? SmallSuite.Full)
{
    // Group names, beside those of the page cache.
    public const string Unflushed = "unflushed";
    public const string Durable = "durable";

    public const long Smallest = ByteSize.KiB;
    public const long Middle = 16 * ByteSize.KiB;
    public const long Largest = 64 * ByteSize.KiB;

    public static readonly string[] ReadMethods =
    [
        SmallMethod.FileStreamSync, SmallMethod.FileStreamAsync, SmallMethod.ReadAllBytes, SmallMethod.PipeReaderCreate, SmallMethod.FilePipe,
        SmallMethod.FilePipeAsync,
    ];

    public static readonly string[] CommitMethods = [SmallMethod.FileStreamMove, SmallMethod.FilePipeCommit, SmallMethod.FilePipeCommitAsync];

    // Enough that an invocation takes several milliseconds; each durable file waits for the device twice.
    private const int HotFiles = 2000;
    private const int ColdFiles = 500;
    private const int CommittedFiles = 500;
    private const int DurableFiles = 20;

    private static readonly long[] Sizes = [Smallest, Middle, Largest];

    private static readonly SuiteLimits Quick = new()
    {
        Total = TimeSpan.FromSeconds(120),
        Groups = Groups(new() { MinRounds = 5, MaxRounds = 15, Time = TimeSpan.FromSeconds(8) }),
    };

    private static readonly SuiteLimits Full = new()
    {
        Groups = Groups(new() { MinRounds = 10, MaxRounds = 30, Time = TimeSpan.FromSeconds(60) }),
    };

    public override string Name => "small";

    public override string Description => "many small files: opening, reading and closing them, and creating them under their names";

    public override IReadOnlyList<string> ExampleFilters { get; } = ["FilePipe/*/hot/*", "FileStreamSync*/*/hot/*"];

    public override IReadOnlyList<string> Methods { get; } = [.. ReadMethods, .. CommitMethods];

    protected override string? WhyNoUserFile => "The suite small makes its own files and does not accept --file. Name the folder, and so the disk, with --data.";

    public static RunLimits[] Groups(RunLimits limits) =>
        [.. ((string[])[CacheNames.Hot, CacheNames.Cold, Unflushed, Durable]).Select(group => limits with { Group = group })];

    public override PlannedCase Small(PlannedCase planned, LabOptions options, IReadOnlyList<TestFile> files) => ((SmallCase)planned).Shortened();

    public override IReadOnlyList<TargetResult> Targets(LabResults results) => SmallTargets.Check(results);

    public override string? Finding(LabResults results) => SmallTargets.Finding(results);

    /// <summary>One file that stands for its folder where the page cache and the file system are asked about.</summary>
    protected override IReadOnlyList<TestFile> Files(LabOptions options, string data) => [TestFile.OfIncrements(SmallFolder.In(data), Smallest)];

    protected override IReadOnlyList<TestFile> MakeFiles(string data, IReadOnlyList<TestFile> files, IReadOnlyList<PlannedCase> plan)
    {
        CacheControl.EstablishOrExplain(files[0], CacheFill.LargeWrites);
        foreach (SmallCase planned in plan.OfType<SmallCase>().Where(planned => planned.IsRead).DistinctBy(planned => planned.Folder))
        {
            SmallFolder.Fill(planned.Folder, planned.Bytes, planned.Count);
        }

        return files;
    }

    protected override IEnumerable<PlannedCase> Cases(LabOptions options, IReadOnlyList<TestFile> files, Uri server)
    {
        bool quick = options.Mode == LabMode.Quick;
        string data = Path.GetDirectoryName(files[0].Path)!;
        return ((IEnumerable<SmallCase>)
        [
            .. from bytes in Sizes
               from method in ReadMethods
               select new SmallCase(method, SmallFolder.Of(data, CacheNames.Hot, bytes), files[0], bytes, HotFiles),
            .. from bytes in quick ? [Smallest] : Sizes
               from method in quick ? [SmallMethod.FileStreamSync, SmallMethod.FilePipe] : ReadMethods
               select new SmallCase(method, SmallFolder.Of(data, CacheNames.Cold, bytes), files[0], bytes, ColdFiles, State: CacheState.Cold),
            .. from bytes in quick ? [Smallest] : Sizes
               from durability in (Durability[])[Durability.None, Durability.OnCommit]
               from method in CommitMethods
               select new SmallCase(
                   method, SmallFolder.Of(data, "written", 0), files[0], bytes, durability == Durability.None ? CommittedFiles : DurableFiles, durability),
        ]).SelectMany(planned => WithNoise(planned, planned.IsBaseline));
    }
}

/// <param name="Folder">The files that are read, or the folder in which files are created.</param>
/// <param name="Sample">A file of the same file system, which is asked about.</param>
/// <param name="Count">Files of an invocation.</param>
/// <param name="Writes">Null for a case that reads.</param>
internal sealed record SmallCase(
    string Method, string Folder, TestFile Sample, long Bytes, int Count, Durability? Writes = null, CacheState State = CacheState.Hot, string? Role = null)
    : PlannedCase(Method, Role, State)
{
    private const int FewFiles = 4;

    public bool IsRead => Writes is null;

    public override bool IsBaseline => Method is SmallMethod.FileStreamSync or SmallMethod.FileStreamMove;

    public override CaseParameters Parameters => new()
    {
        Bytes = Bytes,
        Files = Count,
        Cache = IsRead ? CacheNames.ToText(State) : null,
        Durability = Writes switch { null => null, Durability.None => WritesSuite.None, _ => WritesSuite.Commit },
    };

    protected override string IdleGroup => Writes switch
    {
        null => base.IdleGroup,
        Durability.None => SmallSuite.Unflushed,
        _ => SmallSuite.Durable,
    };

    public SmallCase Shortened() => this with { Count = Math.Min(Count, FewFiles) };

    public override CaseMethod Create() => new SmallMethod(this);

    public override CaseState CreateState(CacheControl? cache) => IsRead ? new SmallReadState(this) : base.CreateState(cache);

    public override void Clear()
    {
        if (!IsRead)
        {
            ResultFolder.Clear(Folder);
        }
    }

    public override void Verify()
    {
        if (!IsRead)
        {
            SmallFolder.Verify(Folder, Bytes, Count);
        }
    }

    protected override string? Obstacle() => IsRead && State == CacheState.Cold ? CacheControl.WhyNoCold(Sample) : null;
}

/// <summary>The targets of small files, and the result in a sentence.</summary>
internal static class SmallTargets
{
    private static readonly TargetDefinition[] Targets =
    [
        Read(SmallSuite.Smallest, CacheNames.Hot, 1.00),
        Read(SmallSuite.Middle, CacheNames.Hot, 1.00),
        Read(SmallSuite.Largest, CacheNames.Hot, 0.97),
        Read(SmallSuite.Smallest, CacheNames.Cold, 1.00),
        Commit(SmallMethod.FilePipeCommit, WritesSuite.None, "File.Move"),
        Commit(SmallMethod.FilePipeCommit, WritesSuite.Commit, "File.Move and flushes of file and folder"),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>Reading and creating the smallest files; null where they were not measured.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string[] parts =
        [
            .. from work in ((string Text, IEnumerable<CasePair> Pairs)[])
               [
                   ("reading", Reading(cases, SmallSuite.Smallest, CacheNames.Hot)),
                   ("creating", Committing(cases, SmallMethod.FilePipeCommit, WritesSuite.None)),
                   ("durably creating", Committing(cases, SmallMethod.FilePipeCommit, WritesSuite.Commit)),
               ]
               let pair = work.Pairs.FirstOrDefault()
               where pair.Mine is not null
               select $"{work.Text} files of {ByteSize.ToText(pair.Mine.Parameters.Bytes ?? 0)}, FilePipe {Figures.Speed(pair.Ratio)} as FileStream",
        ];
        return parts.Length == 0 ? null : Figures.Capital(string.Join("; ", parts)) + ".";
    }

    private static TargetDefinition Read(long bytes, string cache, double limit) => TargetDefinition.Ratio(
        $"{SmallMethod.FilePipe} / {SmallMethod.FileStreamSync}, open, read and close {ByteSize.ToText(bytes)}, {cache}",
        limit,
        cases => Reading(cases, bytes, cache));

    private static TargetDefinition Commit(string method, string durability, string other) => TargetDefinition.Ratio(
        $"{method} / FileStream, {other}, {ByteSize.ToText(SmallSuite.Smallest)}, durability {durability}", 1.00, cases => Committing(cases, method, durability));

    private static IEnumerable<CasePair> Reading(MeasuredCases cases, long bytes, string cache) => CasePair.WithSame(
        cases, cases.Of(SmallMethod.FilePipe, parameters => parameters.Bytes == bytes && parameters.Cache == cache), SmallMethod.FileStreamSync);

    private static IEnumerable<CasePair> Committing(MeasuredCases cases, string method, string durability) => CasePair.WithSame(
        cases,
        cases.Of(method, parameters => parameters.Bytes == SmallSuite.Smallest && parameters.Durability == durability),
        SmallMethod.FileStreamMove);
}

namespace Millrace.Lab.Suites.Writes;

/// <summary>A case of the suite writes, whose methods all write to one folder.</summary>
internal abstract record WritesCase(string Method, string Folder, string? Role) : PlannedCase(Method, Role)
{
    /// <summary>Whether the time that the device takes is part of the case.</summary>
    public virtual bool IsDurable => false;

    /// <summary>The strategy that the method's name promises; null where it promises none.</summary>
    public virtual WriteStrategy? Strategy => null;

    // In their own groups: a device that is still busy after a flush would show in what needs none.
    protected override string IdleGroup => IsDurable ? WritesSuite.Durable : WritesSuite.Unflushed;

    protected override string MissingCases => $"cases of {Method}";

    public abstract WritesCase Small(WritesInputs inputs);

    public override void Clear() => ResultFolder.Clear(Folder);

    protected override string? Obstacle() => WhyNotStrategy() ?? base.Obstacle();

    private string? WhyNotStrategy()
    {
        if (Strategy is not { } strategy)
        {
            return null;
        }

        Directory.CreateDirectory(Folder);
        Durability durability = IsDurable ? Durability.OnCommit : Durability.None;
        using FilePipeWriter writer = FilePipe.Create(
            ResultFolder.FileIn(Folder), new FileWriteOptions { Strategy = strategy, Durability = durability });
        return writer.Strategy == strategy
            ? null
            : $"files are written {writer.Strategy} here when {strategy} is asked for: {writer.StrategyReason}";
    }
}

internal sealed record WriteCase(
    string Method, string Folder, long Bytes, int Chunk, Durability Durability, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    // Several of a file pipe's blocks, so that all that happens at their ends happens.
    private const long SmallBytes = 512 * ByteSize.KiB;
    private const int SmallChunk = 16384;

    public override bool IsBaseline => Method == nameof(FileWriting.FileStreamSync);

    public override bool IsDurable => Durability != Durability.None;

    public override WriteStrategy? Strategy => Method switch
    {
        nameof(FileWriting.FilePipeWriteBehind) => WriteStrategy.WriteBehind,
        nameof(FileWriting.FilePipeDirect) => WriteStrategy.Direct,
        _ => null,
    };

    public override CaseParameters Parameters => new()
    {
        Bytes = Bytes,
        Chunk = Chunk,
        Durability = IsDurable ? WritesSuite.Commit : WritesSuite.None,
    };

    public override CaseMethod Create() => new FileWriting(this);

    public override WritesCase Small(WritesInputs inputs) => this with
    {
        Bytes = Math.Min(Bytes, SmallBytes),
        Chunk = Chunk <= PipeFeeder.SmallestWrite ? Chunk : SmallChunk,
    };

    public override void Verify() => WrittenContent.Verify(ResultFolder.FileIn(Folder), Bytes, Chunk);
}

internal sealed record CopyCase(string Method, string Folder, TestFile File, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    private const int PieceBytes = 256 * 1024;

    public override bool IsBaseline => Method == nameof(FileCopying.FileCopy);

    public override TestFile CachedFile => File;

    public override CaseParameters Parameters => new()
    {
        Bytes = File.Bytes,
        Cache = CacheNames.Hot,
        Durability = WritesSuite.None,
    };

    public override CaseMethod Create() => new FileCopying(this);

    protected override string? Obstacle() => Method == nameof(FileCopying.Cp) && !FileCopying.HasCp
        ? $"there is no {FileCopying.CpProgram}"
        : base.Obstacle();

    public override WritesCase Small(WritesInputs inputs) => this with { File = inputs.SmallIntegers };

    public override void Verify()
    {
        using ReadBack copy = ReadBack.Open(ResultFolder.FileIn(Folder), File.Bytes);
        using var source = new FileStream(File.Path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] piece = new byte[PieceBytes];
        int read;
        while ((read = source.Read(piece)) > 0)
        {
            copy.Expect(piece.AsSpan(0, read));
        }
    }
}

/// <summary>A case of reading a file in parts at once. It writes nothing: each invocation compares its result.</summary>
internal sealed record ScanCase(string Method, string Folder, TestFile File, int Degree, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    /// <summary>The bytes of a read of <see cref="Floor.ReadTwo"/>; null for what chooses.</summary>
    public int? Block { get; init; }

    public override bool IsBaseline => Method == nameof(FileScanning.FilePipe);

    public override TestFile CachedFile => File;

    public override CaseParameters Parameters => new()
    {
        Bytes = File.Bytes,
        Cache = CacheNames.Hot,
        Content = File.Content == FileContent.Csv ? WritesSuite.Lines : WritesSuite.Integers,
        Degree = Degree,
        Block = Block,
    };

    public override CaseMethod Create() =>
        OperatingSystem.IsLinux() && Floor.Is(Method) ? new RawReading(File, Block!.Value) : new FileScanning(this);

    public override WritesCase Small(WritesInputs inputs) =>
        this with { File = File.Content == FileContent.Csv ? inputs.FirstLines : inputs.SmallIntegers };
}

/// <summary>A case of appending records to one file.</summary>
/// <param name="Records">How many records all writers append together; a multiple of <paramref name="Writers"/>.</param>
internal sealed record AppendCase(string Method, string Folder, int Writers, int Records, string? Role = null)
    : WritesCase(Method, Folder, Role)
{
    // Each of them waits for the device.
    private const int SmallWriters = 4;
    private const int SmallRecords = 8;

    public override bool IsBaseline => Method == nameof(RecordAppending.FilePipeAppend) && Writers == 1;

    public override bool IsDurable => true;

    public override CaseParameters Parameters => new()
    {
        Bytes = (long)Records * AppendedRecord.Bytes,
        Durability = WritesSuite.EveryRecord,
        Records = Records,
        Writers = Writers,
    };

    public override CaseMethod Create() => new RecordAppending(this);

    public override WritesCase Small(WritesInputs inputs) =>
        this with { Writers = Math.Min(Writers, SmallWriters), Records = SmallRecords };

    public override void Verify() => AppendedRecord.Verify(ResultFolder.FileIn(Folder), Writers, Records);
}

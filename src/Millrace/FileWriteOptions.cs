using System.Buffers;

namespace Millrace;

/// <summary>How <see cref="FilePipe.Create"/> writes. The default value is a good choice.</summary>
public readonly record struct FileWriteOptions
{
    /// <summary>Default of <see cref="Durability"/>.</summary>
    /// <remarks>A published file should survive a power failure.</remarks>
    internal const Durability DefaultDurability = Durability.OnCommit;

    private readonly bool _dropsCached;
    private readonly Durability? _durability;

    /// <summary>When the bytes are on the device.</summary>
    public Durability Durability
    {
        get => _durability ?? DefaultDurability;
        init => _durability = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Durability), value, $"a value of {nameof(Durability)}");
    }

    /// <summary>How the bytes get to the file.</summary>
    public WriteStrategy Strategy
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Strategy), value, $"a value of {nameof(WriteStrategy)}");
    }

    /// <summary>
    /// Publishes only if nothing has the name then: a commit fails with <see cref="FilePipeError.NameTaken"/> instead of
    /// replacing. Decided by the file system in one step, even if others try at the same time.
    /// </summary>
    public bool CreateNew { get; init; }

    /// <summary>
    /// How long the file is going to be, in bytes, where that is known: its space is reserved at once, so that a full
    /// disk shows before the work instead of after it, and what turns out too much is given back. 0 reserves nothing.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public long PreallocationSize
    {
        get;
        init => field = value >= 0 ? value : throw OutOfRange(nameof(PreallocationSize), value, "0 or more bytes");
    }

    /// <summary>
    /// Bytes of one write to the file at most, a multiple of 4,096 from 4,096 to 2,097,152; 0, the default, takes what suits the
    /// processor. Smaller chunks are gathered to 256 KiB, whatever it is. <see cref="WriteStrategy.Direct"/> uses other sizes.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Any other number.</exception>
    public int BlockBytes
    {
        get;
        init => field = value == 0 || FileReadOptions.IsBlockSize(value) ? value : throw OutOfRange(nameof(BlockBytes), value, FileReadOptions.BlockSizes);
    }

    /// <summary>
    /// Whether written pages may stay in the page cache; true by default. False writes them to the device at once and takes them out of the
    /// cache afterwards, so that the files of others stay. For large files that are not read soon.
    /// </summary>
    /// <remarks>
    /// Linux 6.14 and later on file systems that take it: <c>RWF_DONTCACHE</c>. Elsewhere on Linux pages are handed to the device and
    /// dropped while the file is written. The last bytes of a file that is not durable may stay. Portable paths ignore it.
    /// </remarks>
    public bool KeepCached
    {
        get => !_dropsCached;
        init => _dropsCached = !value;
    }

    /// <summary>Computes SHA-256 of the bytes while they are written, for <see cref="CommitResult.Sha256"/>.</summary>
    public bool ComputeSha256 { get; init; }

    /// <summary>
    /// Permissions of the published file on Unix; null, the default, takes those of the replaced file, and for a
    /// new one rw-rw-rw- less the process' umask.
    /// </summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// Where buffers come from; null, the default, takes page-aligned native memory from <see cref="AlignedMemoryPool"/>.
    /// <see cref="WriteStrategy.Direct"/> needs alignment and ignores a foreign one.
    /// </summary>
    public MemoryPool<byte>? Pool { get; init; }

    /// <summary>
    /// Uses nothing but the framework's own file API. For tests: a process sets it with <c>MILLRACE_PORTABLE=1</c> or the
    /// AppContext switch <c>Millrace.Portable</c>.
    /// </summary>
    internal bool Portable { get; init; }

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value, string allowed) =>
        new(name, value, $"{nameof(FileWriteOptions)}.{name} does not accept {value}; use {allowed}.");
}

/// <summary>How a file pipe gets its bytes to the file. See docs/file-pipe-writer.md for what each costs.</summary>
public enum WriteStrategy
{
    /// <summary>
    /// <see cref="WriteBehind"/> for durable files, where waiting for the disk only at the end would cost;
    /// otherwise <see cref="Buffered"/>.
    /// </summary>
    Auto,

    /// <summary>Large writes to the page cache, by the calling thread as long as the kernel takes them at memory speed.</summary>
    Buffered,

    /// <summary>
    /// The same, and a second thread asks the kernel to start writing dirty pages to the device, so that neither
    /// the end nor the system's limit on dirty pages makes the writer wait for all of it.
    /// </summary>
    WriteBehind,

    /// <summary>Past the page cache, several writes in flight. For files that are not read soon.</summary>
    Direct,
}

/// <summary>When bytes are on the device and not only in the system's memory.</summary>
public enum Durability
{
    /// <summary>When the system sees fit. A power failure can leave a file without its last bytes, or empty.</summary>
    None,

    /// <summary>When <see cref="FilePipeWriter.CommitAsync(CancellationToken)"/> completes: the data, the name and the folder's entry.</summary>
    OnCommit,

    /// <summary>Also whenever a flush completes.</summary>
    EveryFlush,
}

/// <summary>The result of <see cref="FilePipeWriter.CommitAsync(CancellationToken)"/>.</summary>
/// <param name="Length">Length of the file, in bytes.</param>
/// <param name="Sha256">
/// SHA-256 of the whole content, 32 bytes, when <see cref="FileWriteOptions.ComputeSha256"/> asked for it; else empty.
/// </param>
public readonly record struct CommitResult(long Length, ReadOnlyMemory<byte> Sha256);

using System.Buffers;
using Millrace.Buffers;

namespace Millrace;

/// <summary>How <see cref="FilePipe.OpenRead(string, FileReadOptions)"/> reads. The default value is a good choice.</summary>
public readonly record struct FileReadOptions
{
    /// <summary>Default of <see cref="MaxBufferedBytes"/>, in bytes.</summary>
    /// <remarks>
    /// Larger than any sensible record, small enough that a file without a single line end does not take the memory of
    /// the process.
    /// </remarks>
    internal const int DefaultMaxBufferedBytes = 64 * 1024 * 1024;

    /// <summary>Default of <see cref="FollowPollInterval"/>, in milliseconds.</summary>
    /// <remarks>
    /// Only a safety net: change notifications normally wake the reader first. They are lost on network file systems and
    /// when the kernel's queue overflows.
    /// </remarks>
    internal const int DefaultFollowPollMilliseconds = 250;

    /// <summary>Default of <see cref="Share"/>.</summary>
    /// <remarks>The same as <see cref="File.OpenRead(string)"/>.</remarks>
    internal const FileShare DefaultShare = FileShare.Read;

    private readonly bool _dropsCached;
    private readonly int _maxBufferedBytes;
    private readonly int _followPollMilliseconds;
    private readonly FileShare? _share;

    /// <summary>How bytes are read from the file.</summary>
    public ReadStrategy Strategy
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Strategy), value, $"a value of {nameof(ReadStrategy)}");
    }

    /// <summary>
    /// The maximum number of bytes that one read adds to those already examined; 0, the default, hands over
    /// everything in memory. It limits chunks, not system calls: the file is read in large blocks either way.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public int BufferSize
    {
        get;
        init => field = value >= 0 ? value : throw OutOfRange(nameof(BufferSize), value, "0 or more bytes");
    }

    /// <summary>
    /// Bytes of one read from the file, a multiple of 4,096 from 4,096 to 2,097,152; 0, the default, leaves them to Millrace, which
    /// measures for large files what suits the processor. <see cref="FilePipeReader.StrategyReason"/> reports the choice.
    /// <see cref="ReadStrategy.Direct"/> and <see cref="ReadStrategy.Mapped"/> use other sizes.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Any other number.</exception>
    public int BlockBytes
    {
        get;
        init => field = value == 0 || IsBlockSize(value) ? value : throw OutOfRange(nameof(BlockBytes), value, BlockSizes);
    }

    /// <summary>
    /// How many bytes may be held because the caller examined but did not consume them, in bytes. A read that would
    /// need more fails with <see cref="FilePipeError.BufferLimit"/>. At least one block (256 KiB) is always held.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1, or more than <see cref="Array.MaxLength"/>.</exception>
    public int MaxBufferedBytes
    {
        get => _maxBufferedBytes == 0 ? DefaultMaxBufferedBytes : _maxBufferedBytes;
        init => _maxBufferedBytes =
            value > 0 && value <= Array.MaxLength ? value : throw OutOfRange(nameof(MaxBufferedBytes), value, $"1 to {Array.MaxLength} bytes");
    }

    /// <summary>Where to begin, in bytes from the start of the file. Files without positions accept only 0.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public long Offset
    {
        get;
        init => field = value >= 0 ? value : throw OutOfRange(nameof(Offset), value, "0 or more bytes");
    }

    /// <summary>How many bytes to read at most from <see cref="Offset"/>; null, the default, reads to the end.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Negative.</exception>
    public long? Length
    {
        get;
        init => field = value is null or >= 0 ? value : throw OutOfRange(nameof(Length), value, "0 or more bytes, or null");
    }

    /// <summary>
    /// How others may use the file while it is open here. On Unix an advisory lock; see <see cref="FileShare"/>. On
    /// Linux the locks of others stop only a reader with <see cref="FileShare.None"/>.
    /// Ignored for handles. Follow mode adds the sharing that a writer needs.
    /// </summary>
    public FileShare Share
    {
        get => _share ?? DefaultShare;
        init => _share = value;
    }

    /// <summary>
    /// Where buffers come from; null, the default, takes page-aligned native memory from <see cref="AlignedMemoryPool"/>.
    /// With a custom pool, buffers are not page-aligned, and a block larger than its <see cref="MemoryPool{T}.MaxBufferSize"/> is an
    /// array. <see cref="ReadStrategy.Mapped"/> needs no pool; <see cref="ReadStrategy.Direct"/> needs alignment and
    /// ignores a custom pool.
    /// </summary>
    public MemoryPool<byte>? Pool { get; init; }

    /// <summary>
    /// Whether pages that were read may stay in the page cache; true by default. False leaves the cache as it was: pages that this reader
    /// brought in leave it when they were copied, and those that others use stay. For files that are read once, and are large beside the memory
    /// of the machine.
    /// </summary>
    /// <remarks>
    /// Linux 6.14 and later on file systems that take it: <c>RWF_DONTCACHE</c>. Elsewhere on Linux the reader asks which pages are there
    /// before it reads, without the kernel's read-ahead, and drops the others; pages whose presence the system does not report (of files that
    /// this user may not write) stay. <see cref="ReadStrategy.Mapped"/> is <see cref="ReadStrategy.Buffered"/> then. Portable paths ignore it.
    /// </remarks>
    public bool KeepCached
    {
        get => !_dropsCached;
        init => _dropsCached = !value;
    }

    /// <summary>Leaves a passed handle open when the reader is completed. Ignored when opened by path.</summary>
    public bool LeaveOpen { get; init; }

    /// <summary>What to do at the end of the file.</summary>
    public FollowMode Follow
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Follow), value, $"a value of {nameof(FollowMode)}");
    }

    /// <summary>How long follow mode waits for a notification before it checks the file.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1 ms or more than a day.</exception>
    public TimeSpan FollowPollInterval
    {
        get => TimeSpan.FromMilliseconds(
            _followPollMilliseconds == 0 ? DefaultFollowPollMilliseconds : _followPollMilliseconds);
        init => _followPollMilliseconds = value >= TimeSpan.FromMilliseconds(1) && value <= TimeSpan.FromDays(1)
            ? (int)value.TotalMilliseconds
            : throw OutOfRange(nameof(FollowPollInterval), value, "1 ms to a day");
    }

    /// <summary>Which changes made by others end the reading with an exception.</summary>
    public ChangeDetection ChangeDetection
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(ChangeDetection), value, $"a value of {nameof(ChangeDetection)}");
    }

    /// <summary>
    /// Uses nothing but the framework's own file API. For tests: a process sets it with <c>MILLRACE_PORTABLE=1</c> or the
    /// AppContext switch <c>Millrace.Portable</c>.
    /// </summary>
    internal bool Portable { get; init; }

    internal static string BlockSizes => $"a multiple of {BlockPool.Alignment} up to {BlockPool.LargeBodyBytes} bytes, or 0";

    internal static bool IsBlockSize(int bytes) =>
        bytes is > 0 and <= BlockPool.LargeBodyBytes && bytes % BlockPool.Alignment == 0;

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value, string allowed) =>
        new(name, value, $"{nameof(FileReadOptions)}.{name} does not accept {value}; use {allowed}.");
}

/// <summary>How a <see cref="FilePipeReader"/> gets its bytes from the file.</summary>
public enum ReadStrategy
{
    /// <summary>
    /// <see cref="Buffered"/> or <see cref="ReadAhead"/>, chosen when the file is opened from its size, its kind, the
    /// number of processors and whether they all have work (Linux). <see cref="FilePipeReader.Strategy"/> and
    /// <see cref="FilePipeReader.StrategyReason"/> report the choice and the reason.
    /// </summary>
    Auto,

    /// <summary>
    /// Large positional reads. Bytes in the page cache are read on the calling thread without blocking
    /// (Linux: <c>preadv2</c> with <c>RWF_NOWAIT</c>); bytes on the disk are read on the thread pool, which
    /// then reads ahead until the cache answers again.
    /// </summary>
    Buffered,

    /// <summary>
    /// The next buffers fill on the thread pool while the caller works on this one: less time, more processor time.
    /// </summary>
    ReadAhead,

    /// <summary>
    /// Windows of the file mapped into memory: nothing is copied. Only used where a read lease protects the process
    /// from the file being truncated underneath it (Linux, the file's owner, no writer); otherwise
    /// <see cref="Buffered"/>.
    /// </summary>
    Mapped,

    /// <summary>
    /// Past the page cache (Linux: <c>O_DIRECT</c>) with several reads in flight, by io_uring where the kernel allows
    /// it and by threads otherwise. For files larger than memory, or read once. <see cref="Buffered"/> where the file
    /// system refuses.
    /// </summary>
    Direct,
}

/// <summary>How a <see cref="FilePipeReader"/> continues at the end of the file. The terms are those of GNU tail.</summary>
public enum FollowMode
{
    /// <summary>The end of the file ends the pipe.</summary>
    None,

    /// <summary>Waits for the opened file to grow, whatever happens to its name.</summary>
    Descriptor,

    /// <summary>
    /// Waits for the file of that name to grow. When the name is given to another file (rotation by rename and
    /// re-create), the old one is read to its end and the new one from its start; when the file is truncated in place,
    /// it is read again from its start.
    /// </summary>
    Name,
}

/// <summary>
/// Which changes made to a file by others while it is read end the reading with a <see cref="FilePipeException"/>.
/// Checked when the end of the file is reached, by size and time of last modification (whose resolution is the file
/// system's). A file in follow mode is expected to change and is checked for truncation only.
/// </summary>
public enum ChangeDetection
{
    /// <summary>
    /// A file that became shorter, or was modified without growing, is reported. One that grew is read to its new end,
    /// as a log is.
    /// </summary>
    Rewritten,

    /// <summary>Any modification is reported, growth included: the bytes read are one version of the file.</summary>
    Any,

    /// <summary>Only a file that became shorter than it was when opened is reported.</summary>
    Truncated,
}

using System.Buffers;

namespace Millrace;

/// <summary>How <see cref="FilePipe.Append"/> opens and writes. The default value is a good choice.</summary>
public readonly record struct FileAppendOptions
{
    /// <summary>Default of <see cref="Durability"/>.</summary>
    /// <remarks>A log is kept to be read after a crash; several writers share the price of one flush.</remarks>
    internal const Durability DefaultDurability = Durability.EveryFlush;

    private readonly Durability? _durability;

    /// <summary>
    /// When the bytes are on the device: with <see cref="Durability.OnCommit"/> and <see cref="Durability.None"/> when
    /// <see cref="FileAppendWriter.FlushToDeviceAsync"/> completes.
    /// </summary>
    public Durability Durability
    {
        get => _durability ?? DefaultDurability;
        init => _durability = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Durability), value, $"a value of {nameof(Durability)}");
    }

    /// <summary>
    /// What ends or measures a record, to find an incomplete one at the end of the file; null, the default, accepts any
    /// end.
    /// </summary>
    public RecordBoundary? Boundary { get; init; }

    /// <summary>
    /// Finds where the complete records end, for files whose records no <see cref="RecordBoundary"/> describes, such as
    /// lengths with checksums: it is given the file from its start and returns an offset in bytes.
    /// </summary>
    public Func<FilePipeReader, long>? FindEnd { get; init; }

    /// <summary>What to do about an incomplete record.</summary>
    public TornTailAction TornTail
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(TornTail), value, $"a value of {nameof(TornTailAction)}");
    }

    /// <summary>Permissions of the file on Unix if it is created; null, the default, leaves it to the process' umask.</summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>Where buffers come from; null, the default, takes native memory from Millrace's pool.</summary>
    public MemoryPool<byte>? Pool { get; init; }

    /// <summary>
    /// Uses nothing but the framework's own file API. For tests: a process sets it with <c>MILLRACE_PORTABLE=1</c> or the
    /// AppContext switch <c>Millrace.Portable</c>.
    /// </summary>
    internal bool Portable { get; init; }

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value, string allowed) =>
        new(name, value, $"{nameof(FileAppendOptions)}.{name} does not accept {value}; use {allowed}.");
}

/// <summary>An incomplete record that was found at the end of a file, as a crash in the middle of a write leaves it.</summary>
/// <param name="Offset">Where it begins, in bytes from the start of the file.</param>
/// <param name="Length">Its length, in bytes.</param>
public readonly record struct TornTail(long Offset, long Length);

/// <summary>What <see cref="FilePipe.Append"/> does about an incomplete record at the end of the file.</summary>
public enum TornTailAction
{
    /// <summary>Refuses to open: <see cref="FilePipeError.TornTail"/> has the offset of the incomplete record.</summary>
    Refuse,

    /// <summary>Truncates the file there, durably, and reports it in <see cref="FileAppendWriter.TornTail"/>.</summary>
    Truncate,

    /// <summary>Keeps it, and reports it in <see cref="FileAppendWriter.TornTail"/>. Appended bytes follow it.</summary>
    Keep,
}

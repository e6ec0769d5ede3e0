using System.Buffers;

namespace Millrace;

/// <summary>How <see cref="FilePipe.Create"/> writes. The default value is a good choice.</summary>
public readonly record struct FileWriteOptions
{
    /// <summary>Default of <see cref="Durability"/>.</summary>
    /// <remarks>Whoever is told that a file was published expects to find it after a power failure.</remarks>
    public const Durability DefaultDurability = Durability.OnCommit;

    private readonly Durability? _durability;

    /// <summary>When the bytes are on the device.</summary>
    public Durability Durability
    {
        get => _durability ?? DefaultDurability;
        init => _durability = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Durability), value);
    }

    /// <summary>How the bytes get to the file.</summary>
    public WriteStrategy Strategy
    {
        get;
        init => field = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Strategy), value);
    }

    /// <summary>
    /// Publishes only if nothing has the name then: a commit fails with <see cref="FilePipeError.NameTaken"/> instead of
    /// replacing. Decided by the file system in one step, whoever else tries at the same time.
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
        init => field = value >= 0 ? value : throw OutOfRange(nameof(PreallocationSize), value);
    }

    /// <summary>Computes SHA-256 of what is written, on the way, for <see cref="CommitResult.Sha256"/>.</summary>
    public bool ComputeSha256 { get; init; }

    /// <summary>
    /// Permissions of the published file on Unix; null, the default, takes those of the file that is replaced, and for a
    /// new one what the process' umask leaves of rw-rw-rw-.
    /// </summary>
    public UnixFileMode? UnixCreateMode { get; init; }

    /// <summary>
    /// Where buffers come from; null, the default, takes page-aligned native memory from a pool of Millrace's own.
    /// <see cref="WriteStrategy.Direct"/> needs alignment and ignores a foreign one.
    /// </summary>
    public MemoryPool<byte>? Pool { get; init; }

    /// <summary>
    /// Uses nothing but the framework's own file API, as on a system without the native calls. The environment variable
    /// <c>MILLRACE_PORTABLE=1</c> does the same for the process.
    /// </summary>
    public bool Portable { get; init; }

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value) =>
        new(name, value, $"{nameof(FileWriteOptions)}.{name} does not accept {value}.");
}

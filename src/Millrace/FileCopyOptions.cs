namespace Millrace;

/// <summary>How <see cref="FilePipe.CopyAsync"/> copies. The default value is a good choice.</summary>
public readonly record struct FileCopyOptions
{
    private readonly bool _dropsCached;
    private readonly Durability? _durability;

    /// <summary>When the copy is on the device; <see cref="Durability.EveryFlush"/> is the same as on commit here.</summary>
    public Durability Durability
    {
        get => _durability ?? FileWriteOptions.DefaultDurability;
        init => _durability = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Durability), value, $"a value of {nameof(Durability)}");
    }

    /// <summary>Copies only if nothing has the destination's name; see <see cref="FileWriteOptions.CreateNew"/>.</summary>
    public bool CreateNew { get; init; }

    /// <summary>
    /// Gives the copy the source's permissions on Unix, the bits that change the user or the group excepted. Otherwise a
    /// replaced file passes its mode on, and a new one gets the source's mode less the process' umask.
    /// </summary>
    public bool PreserveMode { get; init; }

    /// <summary>Gives the copy the times of last write and last access that the source had when the copy began.</summary>
    public bool PreserveTimes { get; init; }

    /// <summary>
    /// Reads both files again before the copy is published, the copy from its device where the system lets it, and
    /// compares their SHA-256, returned as <see cref="CopyResult.Sha256"/>. A source that can be read only once is hashed
    /// while it is copied.
    /// </summary>
    public bool Verify { get; init; }

    /// <summary>
    /// Makes a second, independent set of blocks. Otherwise the copy shares the source's where the file system can
    /// (reflink), which takes next to no time and no space until one of the two is written to.
    /// </summary>
    public bool NoReflink { get; init; }

    /// <summary>
    /// Whether the pages of both files may stay in the page cache; true by default. False leaves the cache as it was:
    /// <see cref="FileReadOptions.KeepCached"/> and <see cref="FileWriteOptions.KeepCached"/>. Blocks are shared all the same where the file
    /// system can; otherwise this process copies instead of the kernel.
    /// </summary>
    public bool KeepCached
    {
        get => !_dropsCached;
        init => _dropsCached = !value;
    }

    /// <summary>
    /// Uses nothing but the framework's own file API. For tests: a process sets it with <c>MILLRACE_PORTABLE=1</c> or the
    /// AppContext switch <c>Millrace.Portable</c>.
    /// </summary>
    internal bool Portable { get; init; }

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value, string allowed) =>
        new(name, value, $"{nameof(FileCopyOptions)}.{name} does not accept {value}; use {allowed}.");
}

namespace Millrace;

/// <summary>How <see cref="FilePipe.CopyAsync"/> copies. The default value is a good choice.</summary>
public readonly record struct FileCopyOptions
{
    private readonly Durability? _durability;

    /// <summary>When the copy is on the device; <see cref="Durability.EveryFlush"/> is the same as on commit here.</summary>
    public Durability Durability
    {
        get => _durability ?? FileWriteOptions.DefaultDurability;
        init => _durability = Enum.IsDefined(value) ? value : throw OutOfRange(nameof(Durability), value);
    }

    /// <summary>Copies only if nothing has the destination's name; see <see cref="FileWriteOptions.MustBeNew"/>.</summary>
    public bool MustBeNew { get; init; }

    /// <summary>Gives the copy the source's permissions. Otherwise as <see cref="FileWriteOptions.UnixCreateMode"/>.</summary>
    public bool PreserveMode { get; init; }

    /// <summary>Gives the copy the source's times of last write and last access.</summary>
    public bool PreserveTimes { get; init; }

    /// <summary>
    /// Reads both files again before the copy is published, from the device where the system lets it, and compares
    /// their SHA-256, which <see cref="FileCopy.Sha256"/> tells.
    /// </summary>
    public bool Verify { get; init; }

    /// <summary>
    /// Whether to let the copy share the source's blocks where the file system can (reflink). On by default: it takes
    /// no time and no space; off makes a second, independent set of blocks.
    /// </summary>
    public bool NoReflink { get; init; }

    /// <summary>Uses nothing but the framework's own file API; see <see cref="FileWriteOptions.Portable"/>.</summary>
    public bool Portable { get; init; }

    private static ArgumentOutOfRangeException OutOfRange(string name, object? value) =>
        new(name, value, $"{nameof(FileCopyOptions)}.{name} does not accept {value}.");
}

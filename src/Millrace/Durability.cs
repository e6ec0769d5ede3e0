namespace Millrace;

/// <summary>When bytes are on the device and not only in the system's memory.</summary>
public enum Durability
{
    /// <summary>When the system sees fit. A power failure can leave a file without its last bytes, or empty.</summary>
    None,

    /// <summary>When <see cref="FilePipeWriter.CommitAsync"/> completes: the data, the name and the folder's entry.</summary>
    OnCommit,

    /// <summary>Also whenever a flush completes.</summary>
    EveryFlush,
}

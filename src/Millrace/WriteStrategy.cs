namespace Millrace;

/// <summary>How a file pipe gets its bytes to the file. See docs/file-pipe-writer.md for what each costs.</summary>
public enum WriteStrategy
{
    /// <summary>
    /// <see cref="WriteBehind"/> for what is made durable, where waiting for the disk only at the end would cost;
    /// otherwise <see cref="Buffered"/>.
    /// </summary>
    Auto,

    /// <summary>Large writes to the page cache, by the calling thread as long as the kernel takes them at memory speed.</summary>
    Buffered,

    /// <summary>
    /// The same, and a second thread asks the kernel to begin to write to the device what has gathered, so that neither
    /// the end nor the system's limit on dirty pages makes anybody wait for all of it.
    /// </summary>
    WriteBehind,

    /// <summary>Past the page cache, several writes in flight. For files that nobody reads soon.</summary>
    Direct,
}

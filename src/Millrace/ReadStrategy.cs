namespace Millrace;

/// <summary>How a <see cref="FilePipeReader"/> gets its bytes from the file.</summary>
public enum ReadStrategy
{
    /// <summary>
    /// <see cref="Buffered"/> or <see cref="ReadAhead"/>, chosen when the file is opened from its size, its kind and
    /// the number of processors. <see cref="FilePipeReader.Strategy"/> and
    /// <see cref="FilePipeReader.StrategyReason"/> say what was chosen and why.
    /// </summary>
    Auto,

    /// <summary>
    /// Large positional reads. Bytes in the page cache are read on the calling thread without blocking
    /// (Linux: <c>preadv2</c> with <c>RWF_NOWAIT</c>); what has to come from the disk is read on the thread pool, which
    /// then reads ahead until the cache answers again.
    /// </summary>
    Buffered,

    /// <summary>
    /// The next buffers fill on the thread pool while the caller works on this one: less time, more processor time.
    /// </summary>
    ReadAhead,

    /// <summary>
    /// Windows of the file mapped into memory: nothing is copied. Only used where a read lease protects the process
    /// from the file being truncated underneath it (Linux, the file's owner, nobody writing); otherwise
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

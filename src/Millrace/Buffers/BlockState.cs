namespace Millrace.Buffers;

/// <summary>Where a block is on its way from the file to the reader. Guarded by the source's lock.</summary>
internal enum BlockState
{
    /// <summary>Part of a window, or free.</summary>
    Idle,

    /// <summary>A thread or the kernel is reading into it.</summary>
    Reading,

    /// <summary>Its bytes were not in the page cache; a thread that may wait has to read them.</summary>
    Waiting,

    /// <summary>Read, up to what was wanted, the end of the file or an error.</summary>
    Done,
}

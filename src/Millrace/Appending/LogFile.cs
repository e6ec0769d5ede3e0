using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>The file of a log. Writing, cutting and flushing is for one thread at a time.</summary>
internal abstract unsafe class LogFile(string path) : IDisposable
{
    /// <summary>The name under which it was opened first.</summary>
    public string Path { get; } = path;

    public SafeFileHandle Handle { get; private protected init; } = null!;

    /// <summary>Whether Linux's own calls are used on it.</summary>
    public abstract bool Native { get; }

    /// <summary>Appends all of it, on the calling thread.</summary>
    /// <param name="vectors">What to append, in order. Changed by the call.</param>
    /// <param name="count">How many there are, at least 1.</param>
    /// <param name="begin">Where in the file the first byte went, or would have gone.</param>
    /// <param name="written">How many bytes reached the file, also when it failed.</param>
    /// <returns>Null, or why not all was appended.</returns>
    public abstract AppendFailure? Append(MemoryVector* vectors, int count, out long begin, out long written);

    /// <summary>Cuts off what lies behind an offset, unless somebody else appended meanwhile.</summary>
    /// <param name="length">The new length.</param>
    /// <param name="expected">The length that the file has if nobody else did.</param>
    /// <returns>Whether it was cut.</returns>
    public abstract bool TryCut(long length, long expected);

    /// <summary>Makes everything written durable: waits for the device.</summary>
    /// <returns>Null, or why not.</returns>
    public abstract AppendFailure? Flush();

    /// <summary>Makes the file's name durable, where the system can.</summary>
    /// <returns>Null, or why not.</returns>
    public abstract AppendFailure? FlushName();

    /// <summary>Length in bytes.</summary>
    public long Length => RandomAccess.GetLength(Handle);

    /// <summary>Closes it.</summary>
    public virtual void Dispose() => Handle.Dispose();
}

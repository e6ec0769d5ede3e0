using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Appending;

/// <summary>The file of a log. Writing, cutting and flushing is for one thread at a time.</summary>
internal abstract unsafe class LogFile(string path) : IDisposable
{
    public string Path { get; } = path;

    public SafeFileHandle Handle { get; private protected init; } = null!;

    public abstract bool Native { get; }

    /// <summary>Identifies the file, whatever its names are.</summary>
    public abstract LogKey Key { get; }

    public abstract AppendFailure? Append(MemoryVector* vectors, int count, out long begin, out long written);

    /// <summary>Truncates the file at an offset, unless another process appended meanwhile.</summary>
    public abstract bool TryCut(long length, long expected);

    public abstract AppendFailure? Flush();

    /// <summary>Makes the file's name durable, where the system can.</summary>
    public abstract AppendFailure? FlushName();

    public long Length => RandomAccess.GetLength(Handle);

    public virtual void Dispose() => Handle.Dispose();
}

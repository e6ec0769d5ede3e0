using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;
using Millrace.Tuning;

namespace Millrace.Writing;

/// <summary>
/// A file that is being written beside the name that it is to have: <see cref="Publish"/> gives it the name in one step,
/// <see cref="Dispose"/> without it leaves nothing. Not thread-safe; the handle is.
/// </summary>
internal abstract class StagedFile : IDisposable
{
    /// <summary><see cref="MaxAtOnce"/> where nothing else was asked for.</summary>
    /// <remarks>
    /// The size fixed for the process, or else the one for this processor, which is not measured again: the possible gain is less than
    /// the noise between series of calls, and the possible loss shows in one file of ten. The page cache takes memory
    /// in pieces as large as the write where it can, and on some machines has to make room for a MiB first. See docs/measuring.md.
    /// </remarks>
    internal static readonly int UsuallyAtOnce = BlockSizes.ForProcess is > 0 and var bytes ? bytes : CopySize.Known;

    private static long _opened;

    private readonly bool _keeps;
    private bool _disposed;

    private protected StagedFile(string path, string target, bool keeps)
    {
        _keeps = keeps;
        Path = path;
        Target = target;
    }

    public string Path { get; }

    /// <summary>Its place among all files of this process, which was taken after the file was opened and before it was written to.</summary>
    public long Order { get; } = Interlocked.Increment(ref _opened);

    /// <summary>
    /// Whether syncfs(2) has failed through this handle. The system reports a failure once to each handle, so that this one does not learn of
    /// bytes that others have lost then.
    /// </summary>
    public bool WasToldOfFailure { get; set; }

    /// <summary>The most that the system is given in one call, in bytes; where that is not all, the call ends at a multiple of it.</summary>
    public int MaxAtOnce { private get; set; } = UsuallyAtOnce;

    /// <summary>The full name that is published: where a link leads, if the name is one.</summary>
    public string Target { get; }

    public SafeFileHandle Handle { get; private protected init; } = null!;

    public bool Published { get; private set; }

    public abstract bool Native { get; }

    /// <summary>How written pages leave the page cache. If it is <see cref="CachedPages.Dropped"/>, the caller drops them while it writes.</summary>
    public CachedPages Pages { get; private set; }

    /// <summary>Takes written pages out of the page cache: <see cref="FileWriteOptions.KeepCached"/>.</summary>
    public void KeepOutOfCache()
    {
        if (Native)
        {
            Pages = UncachedIo.Choose(Handle, FileStatus.Get(Handle, native: true).Device);
        }
    }

    /// <summary>Whether it can be resumed: an unpublished file stays.</summary>
    public bool Keeps => _keeps;

    public static StagedFile Continue(string part, string path, bool createNew, UnixFileMode? mode, bool native) =>
        native
            ? NativeStagedFile.Continue(part, path, createNew, mode)
            : PortableStagedFile.Continue(part, path, createNew, mode);

    public static StagedFile Create(string path, bool createNew, UnixFileMode? mode, bool native) =>
        native ? NativeStagedFile.Create(path, createNew, mode) : PortableStagedFile.Create(path, createNew, mode);

    /// <summary>Reserves blocks for a length, in bytes. Does nothing where the file system cannot.</summary>
    public abstract void Reserve(long bytes);

    public void Write(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset)
    {
        // The first bytes copied go through one block.
        int most = PageStep.IsSlowToWrite(first, offset) || PageStep.IsSlowToWrite(second, offset + first.Length)
            ? Math.Min(BlockPool.BodyBytes, MaxAtOnce)
            : MaxAtOnce;
        while (first.Length + (long)second.Length > most)
        {
            int bytes = most - (int)(offset % most);
            int fromFirst = Math.Min(first.Length, bytes);
            WriteInStep(first[..fromFirst], second[..(bytes - fromFirst)], offset);
            first = first[fromFirst..];
            second = second[(bytes - fromFirst)..];
            offset += bytes;
        }

        if (first.Length + second.Length > 0)
        {
            WriteInStep(first, second, offset);
        }
    }

    /// <summary>Sets the length and releases the space reserved beyond it.</summary>
    public abstract void SetLength(long bytes);

    public abstract void Flush();

    /// <summary>Hands the content to the device and does not wait for it, where the system can. A hint.</summary>
    public abstract void BeginFlush();

    /// <summary>Gives the file its name, in one step.</summary>
    public void Publish(bool durable)
    {
        if (Pages != CachedPages.Kept)
        {
            // The pages written last, and those whose write ended where the kernel cannot take them out. No one else has read this file.
            CacheAdvice.Drop(Handle);
        }

        Rename();
        Published = true;
        if (durable)
        {
            FlushFolder();
        }
    }

    /// <summary>Closes the file; one that was not published is removed.</summary>
    public void Dispose()
    {
        if (!_disposed)
        {
            _disposed = true;
            Close(remove: !Published && !_keeps);
        }
    }

    private void WriteInStep(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset)
    {
        using NativeBlock? block = PageStep.JoinIfSlow(ref first, ref second, offset);
        WriteOnce(first, second, offset);
    }

    private protected abstract void WriteOnce(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset);

    private protected abstract void Rename();

    /// <summary>Makes the names in the file's folder durable.</summary>
    public abstract void FlushFolder();

    /// <summary>Tells the file's folder from others; null where the system does not.</summary>
    public virtual (uint Major, uint Minor, ulong Inode)? FolderIdentity => null;

    private protected abstract void Close(bool remove);

    private protected FilePipeException Failed(string verb, Exception inner, long offset) =>
        WriteErrors.Describe(verb, Path, offset, SystemError(inner), inner);

    private protected static FilePipeError SystemError(Exception inner) =>
        Interop.SystemError.Kind(inner, FilePipeError.WriteFailed);
}

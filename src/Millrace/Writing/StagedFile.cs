using Microsoft.Win32.SafeHandles;

namespace Millrace.Writing;

/// <summary>
/// A file that is being written beside the name that it is to have: <see cref="Publish"/> gives it the name in one step,
/// <see cref="Dispose"/> without it leaves nothing. Not thread-safe; the handle is.
/// </summary>
internal abstract class StagedFile : IDisposable
{
    /// <summary>The most that the system is given in one call, in bytes, and what calls end at multiples of.</summary>
    /// <remarks>
    /// The page cache takes memory in pieces as large as the write where it can. For a MiB it often has to make room first:
    /// 128 MiB took 60 ms on average so, 529 at most, and 27 and 34 in writes of 256 KiB. See docs/measuring.md.
    /// </remarks>
    private const int MaxAtOnce = Buffers.BlockPool.BodyBytes;

    private readonly bool _keeps;
    private bool _disposed;

    private protected StagedFile(string path, string target, bool keeps)
    {
        _keeps = keeps;
        Path = path;
        Target = target;
    }

    /// <summary>The name that was asked for, as it was given.</summary>
    public string Path { get; }

    /// <summary>The full name that is published: where a link leads, if the name is one.</summary>
    public string Target { get; }

    /// <summary>Open for reading and writing.</summary>
    public SafeFileHandle Handle { get; private protected init; } = null!;

    /// <summary>Whether the file has its name.</summary>
    public bool Published { get; private set; }

    /// <summary>Whether Linux's own calls may be used on it.</summary>
    public abstract bool Native { get; }

    /// <summary>Whether it is there to be continued: what was not published stays.</summary>
    public bool Keeps => _keeps;

    /// <summary>Opens a file that was begun, or begins it.</summary>
    /// <param name="part">The file to continue.</param>
    /// <param name="path">The name that it gets in the end.</param>
    /// <param name="mustBeNew">Whether that name has to be free.</param>
    /// <param name="mode">Permissions; null for what a file of that name has, or the usual ones.</param>
    /// <param name="native">Whether Linux's own calls may be used.</param>
    /// <exception cref="FilePipeException">As <see cref="Create"/>; <see cref="FilePipeError.Sharing"/>: somebody else continues it.</exception>
    public static StagedFile Continue(string part, string path, bool mustBeNew, UnixFileMode? mode, bool native) =>
        native
            ? NativeStagedFile.Continue(part, path, mustBeNew, mode)
            : PortableStagedFile.Continue(part, path, mustBeNew, mode);

    /// <summary>Begins a file.</summary>
    /// <param name="path">The name that it is to have.</param>
    /// <param name="mustBeNew">Fails at once if something has the name. <see cref="Publish"/> has the last word.</param>
    /// <param name="mode">Permissions; null takes those of what is replaced, or what the umask leaves.</param>
    /// <param name="native">Whether Linux's own calls may be used.</param>
    /// <exception cref="FilePipeException">The file cannot be created, or could not be published under that name.</exception>
    public static StagedFile Create(string path, bool mustBeNew, UnixFileMode? mode, bool native) =>
        native ? NativeStagedFile.Create(path, mustBeNew, mode) : PortableStagedFile.Create(path, mustBeNew, mode);

    /// <summary>Reserves blocks for a length, in bytes. Does nothing where the file system cannot.</summary>
    /// <exception cref="FilePipeException">There is not so much space.</exception>
    public abstract void Reserve(long bytes);

    /// <summary>Writes all of both, one after the other, on the calling thread.</summary>
    /// <param name="first">Written at <paramref name="offset"/>; may be empty.</param>
    /// <param name="second">Written after it; may be empty.</param>
    /// <param name="offset">Where in the file, in bytes.</param>
    /// <exception cref="FilePipeException">The system refused: no space, a quota, a limit, a failing device.</exception>
    public void Write(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset)
    {
        while (first.Length + (long)second.Length > MaxAtOnce - (offset % MaxAtOnce))
        {
            int bytes = MaxAtOnce - (int)(offset % MaxAtOnce);
            int fromFirst = Math.Min(first.Length, bytes);
            WriteOnce(first[..fromFirst], second[..(bytes - fromFirst)], offset);
            first = first[fromFirst..];
            second = second[(bytes - fromFirst)..];
            offset += bytes;
        }

        if (first.Length + second.Length > 0)
        {
            WriteOnce(first, second, offset);
        }
    }

    /// <summary>Sets the length and gives back what was reserved beyond it.</summary>
    /// <exception cref="FilePipeException">The system refused.</exception>
    public abstract void SetLength(long bytes);

    /// <summary>Makes the content durable: waits for the device.</summary>
    /// <exception cref="FilePipeException">The system reported an error. What reached the device is not known.</exception>
    public abstract void Flush();

    /// <summary>Hands the content to the device and does not wait for it, where the system can. A hint.</summary>
    public abstract void BeginFlush();

    /// <summary>Gives the file its name, in one step.</summary>
    /// <param name="durable">
    /// Whether the folder is flushed after it. The content is to be flushed before: without that a power failure can
    /// leave the name with an empty file.
    /// </param>
    /// <exception cref="FilePipeException">
    /// The name is taken, gone or refused; what had it is as it was. Or, with <see cref="Published"/> set, the folder
    /// could not be flushed.
    /// </exception>
    public void Publish(bool durable)
    {
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

    private protected abstract void WriteOnce(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second, long offset);

    private protected abstract void Rename();

    private protected abstract void FlushFolder();

    private protected abstract void Close(bool remove);

    private protected FilePipeException Failed(string verb, Exception inner, long offset) =>
        WriteErrors.Describe(verb, Path, offset, SystemError(inner), inner);

    private protected static FilePipeError SystemError(Exception inner) =>
        Interop.SystemError.Kind(inner, FilePipeError.WriteFailed);
}

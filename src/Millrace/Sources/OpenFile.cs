using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;

namespace Millrace.Sources;

/// <summary>
/// The file that a source reads: its handle, its state when it was opened, which part of it is wanted, and how its
/// errors are reported. Thread-safe.
/// </summary>
internal sealed class OpenFile : IDisposable
{
    /// <summary>How soon a thread that waits for a file without positions notices that its bytes are not wanted any more.</summary>
    private static readonly TimeSpan CompletionCheckInterval = TimeSpan.FromMilliseconds(100);

    /// <summary>Bytes that one call reads where pages are dropped, and that one query of the page cache covers.</summary>
    private const int MaxAtOnce = 1024 * 1024;

    /// <summary>Pages of at least 4 KiB around so many bytes.</summary>
    private const int MaxPages = (MaxAtOnce / 4096) + 1;

    private readonly ChangeDetection _changeDetection;
    private readonly bool _ownsHandle;
    private readonly bool _locked;
    private readonly CachedPages _pages;
    private bool _readsNothingAhead;
    private readonly bool _follows;
    private readonly FileStatus _status;
    private FileStream? _stream;
    private volatile bool _completed;

    public OpenFile(SafeFileHandle handle, string path, in FileReadOptions options, bool ownsHandle, bool locked = false)
    {
        Handle = handle;
        Path = path;
        Native = NativeFeatures.Linux && !options.Portable;
        _ownsHandle = ownsHandle;
        _locked = locked;
        _follows = options.Follow != FollowMode.None;
        KeepsCached = options.KeepCached;
        _changeDetection =
            options.Follow == FollowMode.None ? options.ChangeDetection : ChangeDetection.Truncated;
        _status = FileStatus.Get(handle, Native);
        if (_status.Kind == FileKind.Directory)
        {
            throw new FilePipeException(FilePipeError.IsDirectory, $"Cannot read '{path}': it is a folder.", path, 0);
        }

        CanSeek = _status.Kind != FileKind.Stream && IsSeekable(handle, _status.Kind);
        if (!CanSeek && options.Offset != 0)
        {
            throw new NotSupportedException(
                $"'{path}' has no positions (FIFO, socket or terminal): {nameof(FileReadOptions)}."
                + $"{nameof(FileReadOptions.Offset)} has to be 0.");
        }

        Start = options.Offset;
        Limit = options.Length is { } length && length < long.MaxValue - Start ? Start + length : long.MaxValue;
        if (!KeepsCached && Native && _status.Kind == FileKind.Regular)
        {
            (Handle, _ownsHandle, _pages) = PrepareDropping(handle, ownsHandle);
        }

        if (_pages == CachedPages.Dropped || (_pages == CachedPages.Released && Limit < SizeAtOpen))
        {
            ReadNothingAhead();
        }
    }

    private OpenFile(OpenFile whole, long start, long limit, SafeFileHandle? own)
    {
        Handle = own ?? whole.Handle;
        Path = whole.Path;
        Native = whole.Native;
        CanSeek = whole.CanSeek;
        KeepsCached = whole.KeepsCached;
        _pages = whole._pages;
        Start = start;
        Limit = limit;
        _changeDetection = whole._changeDetection;
        _follows = whole._follows;
        _status = whole._status;
        _ownsHandle = own is not null;
    }

    public SafeFileHandle Handle { get; }

    /// <summary>As it was given; empty for a handle whose name is unknown.</summary>
    public string Path { get; }

    public bool Native { get; }

    public bool CanSeek { get; }

    /// <summary>Whether bytes that were read may stay in the page cache: <see cref="FileReadOptions.KeepCached"/>.</summary>
    public bool KeepsCached { get; }

    /// <summary>Disposed when the reader has ended and no thread reads ahead any more; only <see cref="CachedSource"/> reports it.</summary>
    public IDisposable? Unused { get; init; }

    public FileKind Kind => _status.Kind;

    /// <summary>Whether it is the file that a name leads to. Native only.</summary>
    public bool Is(in FileStatus named) => named.Inode == _status.Inode && named.Device == _status.Device;

    /// <summary>Size when it was opened, in bytes; 0 if it has none.</summary>
    public long SizeAtOpen => _status.Size;

    /// <summary>Size now for a file that may grow (follow mode), else when it was opened; in bytes.</summary>
    public long CurrentSize => _follows ? FileStatus.Get(Handle, Native).Size : _status.Size;

    /// <summary>First byte wanted.</summary>
    public long Start { get; }

    /// <summary>Where the wanted part ends, in bytes from the start of the file; <see cref="long.MaxValue"/> for its end.</summary>
    public long Limit { get; }

    /// <summary>
    /// Up to here the file is known to reach, so that its blocks can be read in any order; 0 when that is not known.
    /// </summary>
    public long KnownEnd => Kind == FileKind.Regular ? Math.Min(SizeAtOpen, Limit) : 0;

    /// <summary>
    /// Another part of it, for another reader: that reader compares the file with its state when this was opened,
    /// too.
    /// </summary>
    public OpenFile Part(long start, long limit, SafeFileHandle? own) => new(this, start, limit, own);

    /// <summary>Opens a file by name; a failure is one exception that names the reason and the file.</summary>
    public static OpenFile Open(string path, in FileReadOptions options)
    {
        SafeFileHandle? handle = null;
        try
        {
            handle = OpenHandle(path, options, out bool native, out bool locked);
            var file = new OpenFile(handle, path, options, ownsHandle: true, locked);
            if (native && file.IsReadAhead)
            {
                ReadOpen.AdviseSequential(handle);
            }

            return file;
        }
        catch (Exception exception)
        {
            handle?.Dispose();
            if (exception is FilePipeException { Error: FilePipeError.IsDirectory })
            {
                // The framework's exception for it.
                exception = new UnauthorizedAccessException(exception.Message);
            }

            if (exception is not FilePipeException
                && (handle is null ? IsSystemError(exception) : exception is IOException or UnauthorizedAccessException))
            {
                throw OpenFailed(path, exception);
            }

            throw;
        }
    }

    /// <summary>
    /// Whether the kernel's read-ahead is of use: a file that one read takes has no later reads to prepare, and advice costs a call.
    /// </summary>
    private bool IsReadAhead =>
        Kind switch
        {
            FileKind.Regular when _readsNothingAhead => false,
            FileKind.Regular => _follows || Math.Min(SizeAtOpen, Limit) - Start > BlockPool.BodyBytes,
            FileKind.Device => true,
            _ => false,
        };

    private static SafeFileHandle OpenHandle(string path, in FileReadOptions options, out bool native, out bool locked)
    {
        FileShare share = options.Share;
        if (options.Follow != FollowMode.None)
        {
            // Others have to be able to write to the followed file, and to rename it.
            share |= FileShare.ReadWrite | FileShare.Delete;
        }

        native = NativeFeatures.Linux && !options.Portable && share != FileShare.None;
        locked = false;

        // The framework reports files that cannot be opened, in its usual exception.
        return native && ReadOpen.TryOpen(path, out locked) is { } handle
            ? handle
            : File.OpenHandle(path, FileMode.Open, FileAccess.Read, share, FileOptions.SequentialScan);
    }

    /// <summary>
    /// Reads the missing bytes of a block, and finds out whether the file ends there.
    /// </summary>
    /// <returns>False when more is wanted and the thread may not wait for it.</returns>
    public bool Read(Block block, bool mayWait, out bool hit)
    {
        hit = true;
        bool known = block.FileOffset + block.Wanted <= KnownEnd;

        // Nothing could be done meanwhile, and no later read depends on where the bytes were: one call instead of a second one after a miss.
        bool whole = mayWait && known && CanSeek && block.FileOffset == Start && block.EndOffset == Start && block.Wanted == KnownEnd - Start;
        try
        {
            while (block.Filled < block.Wanted)
            {
                int read = whole ? -1 : ReadCached(block);
                if (read < 0)
                {
                    hit = whole;
                    if (!mayWait)
                    {
                        return false;
                    }

                    read = ReadWaiting(block);
                }

                if (read == 0)
                {
                    block.Last = IsEnd(block.EndOffset, sawEnd: true);
                    return true;
                }

                block.Filled += read;
                if (!known)
                {
                    break;
                }
            }

            long end = block.EndOffset;
            if (end >= Limit)
            {
                block.Last = IsEnd(end, sawEnd: true);
            }
            else if (SizeAtOpen > 0 && end >= SizeAtOpen)
            {
                // So that the last bytes arrive together with the end.
                block.Last = IsEnd(end, sawEnd: false);
            }
            else if (known && FileStatus.GetSize(Handle, Native) is var size && size < end)
            {
                // A read that overlaps a truncation returns zeros for the missing bytes, without an error.
                block.Filled = (int)Math.Max(0, size - block.FileOffset);
                block.Error = Truncated(block.EndOffset, size);
            }
        }
        catch (FilePipeException exception)
        {
            block.Error = exception;
        }
        catch (Exception exception) when (IsSystemError(exception))
        {
            block.Error = ReadFailed(block.EndOffset, exception);
        }

        return true;
    }

    private unsafe int ReadCached(Block block)
    {
        if (!Native || !CanSeek)
        {
            return -1;
        }

        // Whatever the error is, the full read reports it: some file systems refuse the flag itself.
        int read = ReadCached(block.Body + block.Filled, block.Wanted - block.Filled, block.EndOffset);
        return read < 0 ? -1 : read;
    }

    /// <summary>Reads bytes that are in the page cache. Native only.</summary>
    /// <returns>As <see cref="PositionalRead.ReadCached"/>.</returns>
    public unsafe int ReadCached(byte* memory, int bytes, long offset)
    {
        if (_pages == CachedPages.Dropped)
        {
            // A read that is refused brings pages in all the same, which would then look like those of others.
            Span<bool> missing = stackalloc bool[MaxPages];
            bytes = Math.Min(bytes, MaxAtOnce);
            if (PageCache.FindMissing(Handle, offset, bytes, missing))
            {
                return -Errno.Again;
            }
        }

        return PositionalRead.ReadCached(Handle, memory, bytes, offset, _pages == CachedPages.Released);
    }

    /// <summary>Reads from anywhere in the file, and waits for the device.</summary>
    /// <returns>Bytes read, at least 1 before the end of the file.</returns>
    public unsafe int ReadAt(Span<byte> memory, long offset)
    {
        if (Native)
        {
            fixed (byte* bytes = memory)
            {
                int read = _pages == CachedPages.Dropped
                    ? ReadAndDrop(bytes, Math.Min(memory.Length, MaxAtOnce), offset)
                    : PositionalRead.ReadWaiting(Handle, bytes, memory.Length, offset, _pages == CachedPages.Released);
                if (read >= 0)
                {
                    return read;
                }
            }

            // The framework's read repeats the call and turns the error into its usual exception.
        }

        return RandomAccess.Read(Handle, memory, offset);
    }

    private unsafe int ReadAndDrop(byte* memory, int bytes, long offset)
    {
        Span<bool> missing = stackalloc bool[MaxPages];
        missing = missing[..PageCache.PagesAround(offset, bytes)];
        bool drops = PageCache.FindMissing(Handle, offset, bytes, missing);
        int read = PositionalRead.ReadWaiting(Handle, memory, bytes, offset);
        if (drops)
        {
            CacheAdvice.DropMissing(Handle, offset, missing);
        }

        return read;
    }

    /// <summary>
    /// Decides how to leave the page cache as it is. A handle that stays with the caller is opened once more where that takes advice to
    /// the kernel about it.
    /// </summary>
    private (SafeFileHandle Handle, bool Owns, CachedPages Pages) PrepareDropping(SafeFileHandle handle, bool owns)
    {
        CachedPages pages = UncachedIo.Choose(handle, _status.Device);
        return owns || (pages == CachedPages.Released && Limit >= SizeAtOpen) ? (handle, owns, pages)
            : FileReopen.TryOpen(handle) is { } own ? (own, true, pages)
            : (handle, owns, CachedPages.Kept);
    }

    /// <summary>
    /// Has the kernel read only the requested bytes: pages that it reads ahead, and that this reader does not come to, would stay, and
    /// could not be distinguished from those of others.
    /// </summary>
    public void ReadNothingAhead()
    {
        if (_pages != CachedPages.Kept && _ownsHandle)
        {
            _readsNothingAhead = true;
            CacheAdvice.ReadNothingAhead(Handle);
        }
    }

    private unsafe int ReadWaiting(Block block)
    {
        var buffer = new Span<byte>(block.Body + block.Filled, block.Wanted - block.Filled);
        if (!CanSeek)
        {
            return ReadStream(buffer);
        }

        return ReadAt(buffer, block.EndOffset);
    }

    /// <summary>Reads from a file without positions, until bytes come or the reader is completed.</summary>
    private int ReadStream(Span<byte> buffer)
    {
        if (!Native)
        {
            // The framework reads files without positions only through a stream; it owns nothing here.
            _stream ??= new FileStream(Handle, FileAccess.Read, bufferSize: 0);
            return _stream.Read(buffer);
        }

        while (!StreamRead.WaitReadable(Handle, CompletionCheckInterval))
        {
            if (_completed)
            {
                return 0;
            }
        }

        return StreamRead.Read(Handle, buffer);
    }

    /// <summary>
    /// Called where the file seems to end: has it grown, is that its end, or was it changed?
    /// </summary>
    /// <returns>True at the end; false if there is more to read.</returns>
    public bool IsEnd(long offset, bool sawEnd)
    {
        if (Kind != FileKind.Regular)
        {
            return sawEnd;
        }

        FileStatus now = FileStatus.Get(Handle, Native);
        if (now.Size < _status.Size && offset < Math.Min(_status.Size, Limit))
        {
            throw Truncated(offset, now.Size);
        }

        if (!sawEnd && now.Size > offset && offset < Limit)
        {
            return false;
        }

        bool modified = now.ModifiedTicks != _status.ModifiedTicks || now.Size != _status.Size;
        bool grown = now.Size > _status.Size;
        if (modified && _changeDetection switch
        {
            ChangeDetection.Any => true,
            ChangeDetection.Rewritten => !grown,
            _ => false,
        })
        {
            throw new FilePipeException(
                FilePipeError.Changed,
                $"'{Path}' was modified while it was read; the bytes delivered up to offset {offset} may mix the old "
                + $"content with the new. Read it again, or set {nameof(FileReadOptions)}."
                + $"{nameof(FileReadOptions.ChangeDetection)} to accept this.",
                Path,
                offset);
        }

        return true;
    }

    private FilePipeException Truncated(long offset, long size) =>
        new(
            FilePipeError.Truncated,
            $"'{Path}' was truncated from {_status.Size} to {size} bytes while it was read; "
            + $"the bytes before offset {offset} were delivered.",
            Path,
            offset);

    /// <summary>Exceptions of a read that are not bugs in this library, a handle closed underneath included.</summary>
    public static bool IsSystemError(Exception exception) =>
        exception is IOException or UnauthorizedAccessException or ObjectDisposedException or NotSupportedException;

    public FilePipeException ReadFailed(long offset, Exception inner) =>
        new(
            FilePipeError.ReadFailed,
            $"Reading '{Path}' failed at offset {offset}: {inner.Message}",
            Path,
            offset,
            inner);

    public void Dispose()
    {
        _completed = true;
        if (_ownsHandle)
        {
            if (_locked && !Handle.IsClosed)
            {
                AdvisoryLock.Release(Handle);
            }

            Handle.Dispose();
        }
    }

    private static FilePipeException OpenFailed(string path, Exception exception)
    {
        (FilePipeError error, string what) = exception switch
        {
            FileNotFoundException => (FilePipeError.NotFound, "there is no such file"),
            DirectoryNotFoundException => (FilePipeError.NotFound, "a folder of its path does not exist"),
            UnauthorizedAccessException when Directory.Exists(path) => (FilePipeError.IsDirectory, "it is a folder"),
            UnauthorizedAccessException => (FilePipeError.AccessDenied, "permission denied"),
            IOException when SystemError.IsSharing(exception) =>
                (FilePipeError.Sharing, "this or another process holds it; see FileReadOptions.Share"),
            _ => (FilePipeError.Failed, exception.Message),
        };
        return new FilePipeException(error, $"Cannot open '{path}' for reading: {what}.", path, 0, exception);
    }

    private static bool IsSeekable(SafeFileHandle handle, FileKind kind)
    {
        if (kind == FileKind.Regular)
        {
            return true;
        }

        try
        {
            _ = RandomAccess.GetLength(handle);
            return true;
        }
        catch (NotSupportedException)
        {
            return false;
        }
    }
}

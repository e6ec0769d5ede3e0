using System.Buffers;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>An open file of a <see cref="LocalFileStore"/>.</summary>
internal sealed class LocalFileReader : StoredFileReader
{
    private readonly StoreTree _tree;
    private readonly SafeFileHandle _handle;
    private readonly FileFacts _facts;
    private readonly LocalStore _store;
    private bool _disposed;

    public LocalFileReader(
        StoreTree tree, SafeFileHandle handle, FileFacts facts, StoredFile file, LocalStore store)
    {
        _tree = tree;
        _handle = handle;
        _facts = facts;
        _store = store;
        File = file;
        store.Load.Enter();
    }

    public override StoredFile File { get; }

    /// <remarks>Read when it is asked for, which only archives do. Facts that cannot be trusted yet come without a digest.</remarks>
    public override uint? Crc32 => File.Sha256 is null ? null : _store.Digests.TryRead(File.Name, _facts)?.Crc32;

    public override PipeReader Read(ByteRange range) => Read(range, int.MaxValue);

    public override PipeReader Read(ByteRange range, int readBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(readBytes);
        return Read(range, readBytes, KeepsCached);
    }

    internal override PipeReader ReadOnDevice(ByteRange range) => Read(range, int.MaxValue, keepCached: false);

    internal override bool KeepsDigests => true;

    internal override bool IsUnchanged => _tree.Look(_handle) == _facts;

    internal override bool TryKeep(in FileDigest digest)
    {
        if (!IsUnchanged || _tree.TryLook(File.Name) != _facts)
        {
            return false;
        }

        _store.Digests.Write(File.Name, _facts, digest);
        return true;
    }

    private FilePipeReader Read(ByteRange range, int readBytes, bool keepCached)
    {
        ThrowIfOutside(range);
        _ = Look();
        return FilePipe.OpenRead(_handle, new FileReadOptions
        {
            Offset = range.Offset,
            Length = range.Length,
            LeaveOpen = true,
            ChangeDetection = ChangeDetection.Any,
            BufferSize = Math.Min(readBytes, _store.Load.ChunkBytes),
            KeepCached = keepCached,

            // Otherwise the largest blocks, of which each transfer would hold one.
            BlockBytes = keepCached ? 0 : ReadLoad.MaxBytes,

            // The kernel reads ahead: a thread and blocks for each transfer are more than a server has.
            Strategy = ReadStrategy.Buffered,
        });
    }

    private bool KeepsCached => File.Length <= _store.MaxCachedBytes;

    /// <returns>Null where the kernel may not send it, because that leaves pages in the cache.</returns>
    public override SafeFileHandle? FindHandle(ByteRange range)
    {
        ThrowIfOutside(range);
        if (!KeepsCached)
        {
            return null;
        }

        _ = Look();
        return _handle;
    }

    internal override unsafe bool TryReadCached(ByteRange range, Span<byte> bytes)
    {
        if (!NativeFeatures.Linux)
        {
            return false;
        }

        ThrowIfOutside(range);
        fixed (byte* start = bytes)
        {
            int read = PositionalRead.ReadCached(_handle, start, bytes.Length, range.Offset);
            if (read == -Errno.NotSupported && FileSystemKind.IsInMemory(_handle))
            {
                read = PositionalRead.ReadWaiting(_handle, start, bytes.Length, range.Offset);
            }

            if (read != bytes.Length)
            {
                return false;
            }
        }

        // Afterwards, which is enough: nothing was sent yet.
        if (Look() == _facts && bytes.Length == File.Length)
        {
            _store.Known.Keep(File.Name, _facts, bytes);
        }

        return true;
    }

    internal override bool HasHoles => _store.Native && File.Length >= ExtentList.MinSavedBytes
        && (!DataMap.TryFind(_handle, 0, File.Length, out long start, out long end) || start > 0 || end < File.Length);

    internal override ExtentList FindExtents()
    {
        if (!_store.Native)
        {
            return base.FindExtents();
        }

        ExtentList extents = ExtentList.Find(_handle, File.Length);

        // Checked afterwards: bytes written meanwhile may be missing in the list.
        _ = Look();
        return extents;
    }

    public override ValueTask DisposeAsync()
    {
        if (!_disposed)
        {
            _disposed = true;
            _store.Load.Leave();
            _handle.Dispose();
        }

        return default;
    }

    /// <exception cref="TransferException">It is not the version that was opened.</exception>
    private FileFacts Look()
    {
        // Not the time of the last change: a replacement of the name changes that, too.
        FileFacts now = _tree.Look(_handle);
        return now.Length == _facts.Length && now.Modified == _facts.Modified ? now : throw Errors.Changed(File.Name);
    }
}

/// <summary>A file whose bytes are in memory. Nothing is open.</summary>
internal sealed class KeptFileReader(LocalStore store, KnownFile known, byte[] bytes) : StoredFileReader
{
    public override StoredFile File => known.File;

    public override uint? Crc32 => store.Digests.TryRead(File.Name, known.Facts)?.Crc32;

    internal override ReadOnlyMemory<byte> Content => bytes;

    public override PipeReader Read(ByteRange range)
    {
        ThrowIfOutside(range);
        return PipeReader.Create(new ReadOnlySequence<byte>(bytes, (int)range.Offset, (int)range.Length));
    }

    public override ValueTask DisposeAsync() => default;
}

/// <summary>
/// How much memory each file that is being read may use: few readers get the fastest size, many share the memory that a server can
/// spare. Thread-safe.
/// </summary>
internal sealed class ReadLoad
{
    /// <summary>Bytes for all of them together.</summary>
    /// <remarks>16 readers get the maximum; with 200 the total is three times as much, because each gets the minimum.</remarks>
    public const int SharedBytes = 4 * 1024 * 1024;

    /// <summary>Maximum for one; see docs/measuring.md.</summary>
    public const int MaxBytes = 256 * 1024;

    /// <summary>Minimum for one: below it, every system call copies too little.</summary>
    public const int MinBytes = 64 * 1024;

    private int _readers;

    public void Enter() => Interlocked.Increment(ref _readers);

    public void Leave() => Interlocked.Decrement(ref _readers);

    public int ChunkBytes => Math.Clamp(SharedBytes / Math.Max(1, Volatile.Read(ref _readers)), MinBytes, MaxBytes);
}

using System.Buffers;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer;

/// <summary>A small file, which is read as a whole when it is opened, and then sent from memory.</summary>
internal sealed class SmallFile : ContentSource
{
    /// <summary>Bytes of a small file at most.</summary>
    public const int MaxBytes = 64 * 1024;

    private readonly byte[] _bytes;
    private readonly int _length;
    private int _position;
    private int _holders = 1;

    private SmallFile(string path, byte[] bytes, int length, FileTime modified)
    {
        Path = path;
        _bytes = bytes;
        _length = length;
        Modified = modified;
    }

    public string Path { get; }

    /// <summary>When the file was last changed, as it was opened.</summary>
    public FileTime Modified { get; }

    /// <summary>Its content, for each that has not called <see cref="Release"/>.</summary>
    public ReadOnlyMemory<byte> Content => _bytes.AsMemory(0, _length);

    public override long? Length => _length;

    public override long Position => _position;

    /// <summary>Reads a file, never on a thread of the caller's own: it may wait for a disk.</summary>
    /// <returns>Null if it is longer, changes meanwhile, or cannot be read: <see cref="FileSource"/> reports why.</returns>
    public static ValueTask<SmallFile?> TryReadAsync(string path) => Thread.CurrentThread.IsThreadPoolThread
        ? ValueTask.FromResult(TryRead(path))
        : new ValueTask<SmallFile?>(Task.Run(() => TryRead(path)));

    /// <summary>Keeps the content for one more.</summary>
    public void Retain() => Interlocked.Increment(ref _holders);

    /// <summary>Gives it up; the last one returns the memory.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _holders) == 0)
        {
            ArrayPool<byte>.Shared.Return(_bytes);
        }
    }

    public override bool CanSeek(long offset) => offset >= 0 && offset <= _length;

    public override void Seek(long offset) => _position = (int)offset;

    public override ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> rest = Content[_position..];
        _position = _length;
        return ValueTask.FromResult(rest);
    }

    public override void ThrowIfChanged()
    {
        if (!LocalTime.TryLook(Path, out long length, out FileTime modified) || length != _length || modified != Modified)
        {
            throw FileSource.Changed(Path);
        }
    }

    public override ValueTask DisposeAsync()
    {
        Release();
        return default;
    }

    private static SmallFile? TryRead(string path)
    {
        byte[]? bytes = null;
        try
        {
            // Looked at before it is opened, which would wait for the writer of a FIFO.
            if (!LocalTime.TryLook(path, out long length, out FileTime modified) || length > MaxBytes)
            {
                return null;
            }

            bytes = ArrayPool<byte>.Shared.Rent((int)length);
            using SafeFileHandle file = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.Read);
            int read = 0;
            while (read < length && RandomAccess.Read(file, bytes.AsSpan(read, (int)length - read), read) is > 0 and var count)
            {
                read += count;
            }

            if (read == length && LocalTime.TryLook(path, out long now, out FileTime changed) && now == length && changed == modified)
            {
                var small = new SmallFile(path, bytes, read, modified);
                bytes = null;
                return small;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
        }
        finally
        {
            if (bytes is not null)
            {
                ArrayPool<byte>.Shared.Return(bytes);
            }
        }

        return null;
    }
}

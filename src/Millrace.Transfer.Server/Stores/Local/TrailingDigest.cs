using System.Buffers;
using System.IO.Hashing;
using Microsoft.Win32.SafeHandles;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// The SHA-256 of a file that is being written, and its CRC-32, computed after the writer on another thread from the page cache: writing does
/// not wait for it, and the kernel may write bytes that this process never sees. Continues over several writers of one file. Not thread-safe; <see cref="Follow"/> and <see cref="FinishAsync"/> are called one after the other.
/// </summary>
/// <param name="maxCached">
/// Bytes from which a file's pages leave the cache once the digest has read them: <see cref="LocalFileStoreOptions.MaxCachedBytes"/>.
/// </param>
internal sealed class TrailingDigest(long maxCached) : IDisposable
{
    /// <summary>Bytes that are read at once.</summary>
    /// <remarks>A call costs little of the time that hashing so much takes.</remarks>
    private const int ChunkBytes = 64 * 1024;

    /// <summary>Fewer bytes are hashed when the file is finished: another thread would cost as much.</summary>
    private const long WorthFollowing = 1024 * 1024;

    /// <summary>Bytes that leave the page cache at once.</summary>
    /// <remarks>The device writes so many while the next ones arrive.</remarks>
    private const long DropBytes = 8 * 1024 * 1024;

    /// <summary>Bytes that a writer of holes may be ahead: it is done with them at once, and the end of the file would have to wait.</summary>
    private const long MaxHoleBytesAhead = 1024 * 1024 * 1024;

    private static readonly byte[] Zeros = new byte[ChunkBytes];

    /// <summary>First and longest wait for more bytes, in milliseconds.</summary>
    private const int FirstWait = 1;
    private const int LongestWait = 64;

    private readonly IncrementalHash _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
    private readonly Crc32 _checksum = new();
    private CancellationTokenSource? _stop;
    private Task _following = Task.CompletedTask;
    private long _begun;
    private bool _disposed;
    private volatile bool _hasHoles;
    private long _dataEnd;

    public long Hashed { get; private set; }

    /// <summary>Follows a growing file until <see cref="StopAsync"/>.</summary>
    /// <param name="file">The file; stays open until then.</param>
    /// <param name="expected">Bytes that will arrive, null if unknown; few are not worth a thread.</param>
    public void Follow(SafeFileHandle file, long? expected)
    {
        if (expected is null or >= WorthFollowing)
        {
            _stop = new CancellationTokenSource();
            CancellationToken stop = _stop.Token;
            _following = Task.Run(() => FollowAsync(file, stop), CancellationToken.None);
        }
    }

    /// <summary>The file has a hole before this position: waits until the digest lags no more than allowed.</summary>
    public async ValueTask WaitBehindHoleAsync(long position, CancellationToken cancellationToken)
    {
        _hasHoles = NativeFeatures.Linux;
        while (_stop is not null && !_following.IsCompleted && position - Hashed > MaxHoleBytesAhead)
        {
            await Task.Delay(LongestWait, cancellationToken);
        }
    }

    /// <summary>Stops following; the hash so far stays.</summary>
    public async ValueTask StopAsync()
    {
        if (_stop is { } stop)
        {
            _stop = null;
            await stop.CancelAsync();
            await _following.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            stop.Dispose();
        }
    }

    /// <summary>Hashes the rest of the file, whose bytes are all written.</summary>
    /// <returns>Null when more than that was hashed: the file was cut meanwhile.</returns>
    public async ValueTask<FileDigest?> FinishAsync(SafeFileHandle file, long length, CancellationToken cancellationToken)
    {
        await StopAsync();
        if (length - Hashed > WorthFollowing)
        {
            // Not on the thread of a request.
            await Task.Run(() => CatchUp(file, length, cancellationToken), cancellationToken);
        }
        else
        {
            CatchUp(file, length, cancellationToken);
        }

        if (Hashed != length)
        {
            return null;
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        _hash.GetCurrentHash(digest);
        return new FileDigest(new Sha256Digest(digest), _checksum.GetCurrentHashAsUInt32());
    }

    public void Dispose()
    {
        if (!_disposed)
        {
            _disposed = true;
            _hash.Dispose();
        }
    }

    private async Task FollowAsync(SafeFileHandle file, CancellationToken stop)
    {
        int wait = FirstWait;
        while (!stop.IsCancellationRequested)
        {
            // Only whole chunks: the end of the file may be half written.
            long length = RandomAccess.GetLength(file);
            if (length - Hashed >= ChunkBytes)
            {
                CatchUp(file, length - (length % ChunkBytes), stop);
                wait = FirstWait;
                continue;
            }

            await Task.Delay(wait, stop);
            wait = Math.Min(2 * wait, LongestWait);
        }
    }

    private void DropBehind(SafeFileHandle file)
    {
        while (Hashed - _begun >= DropBytes)
        {
            _ = FileSpace.BeginWriting(file, _begun, DropBytes);
            if (_begun > 0)
            {
                _ = FileSpace.FinishWriting(file, _begun - DropBytes, DropBytes);
                CacheAdvice.Drop(file, _begun - DropBytes, DropBytes);
            }

            _begun += DropBytes;
        }
    }

    private void CatchUp(SafeFileHandle file, long length, CancellationToken stop)
    {
        using IMemoryOwner<byte> block = AlignedMemoryPool.Shared.Rent();
        while (Hashed < length && !stop.IsCancellationRequested)
        {
            if (_hasHoles && Hashed >= _dataEnd)
            {
                HashHole(file, length, stop);
                continue;
            }

            // Memory that lies in its pages as the bytes do in the file's: docs/measuring.md.
            long end = _hasHoles ? Math.Min(length, _dataEnd) : length;
            Span<byte> chunk = block.Memory.Span.Slice((int)(Hashed % Environment.SystemPageSize), (int)Math.Min(ChunkBytes, end - Hashed));
            int read = RandomAccess.Read(file, chunk, Hashed);
            if (read == 0)
            {
                return;
            }

            _hash.AppendData(chunk[..read]);
            _checksum.Append(chunk[..read]);
            Hashed += read;
            if (Hashed > maxCached)
            {
                DropBehind(file);
            }
        }

        stop.ThrowIfCancellationRequested();
    }

    /// <summary>Hashes the zeros up to the next data without reading them.</summary>
    private void HashHole(SafeFileHandle file, long length, CancellationToken stop)
    {
        if (!DataMap.TryFind(file, Hashed, length, out long start, out _dataEnd))
        {
            (start, _dataEnd) = (length, length);
        }

        while (Hashed < start && !stop.IsCancellationRequested)
        {
            ReadOnlySpan<byte> zeros = Zeros.AsSpan(0, (int)Math.Min(ChunkBytes, start - Hashed));
            _hash.AppendData(zeros);
            _checksum.Append(zeros);
            Hashed += zeros.Length;
        }
    }
}

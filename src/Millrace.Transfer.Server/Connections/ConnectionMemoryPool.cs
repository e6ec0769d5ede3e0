using System.Buffers;
using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>
/// Memory of connections in large blocks. Kestrel's own pool has blocks of 4 KiB, so that a file of 23.9 MB arrives in
/// about six thousand reads of the socket; with blocks of 64 KiB it is a few hundred.
/// </summary>
/// <remarks>
/// The blocks are native memory, so that none of them is ever a large object of the collector, and what is not kept goes
/// back to the system. Thread-safe.
/// </remarks>
internal sealed class ConnectionMemoryPool : MemoryPool<byte>
{
    /// <summary>What a connection reads into, and writes its headers to.</summary>
    /// <remarks>A connection that waits for a request holds none: Kestrel waits with an empty read.</remarks>
    public const int SmallBytes = 64 * 1024;

    /// <summary>What a file is read into on its way out.</summary>
    public const int LargeBytes = 256 * 1024;

    /// <summary>Free blocks that are kept, in bytes for each of the two sizes: as much as 32 transfers use.</summary>
    public const int KeptBytes = 8 * 1024 * 1024;

    private readonly ConcurrentStack<ConnectionBlock> _small = new();
    private readonly ConcurrentStack<ConnectionBlock> _large = new();
    private volatile bool _disposed;

    /// <inheritdoc/>
    public override int MaxBufferSize => LargeBytes;

    /// <summary>Bytes of the blocks that are free and kept.</summary>
    internal long FreeBytes => (_small.Count * (long)SmallBytes) + (_large.Count * (long)LargeBytes);

    /// <inheritdoc/>
    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, LargeBytes);
        ObjectDisposedException.ThrowIf(_disposed, this);
        bool small = minBufferSize <= SmallBytes;
        if (!(small ? _small : _large).TryPop(out ConnectionBlock? block))
        {
            return new ConnectionBlock(this, small ? SmallBytes : LargeBytes);
        }

        block.Lend();
        return block;
    }

    internal void Return(ConnectionBlock block)
    {
        ConcurrentStack<ConnectionBlock> free = block.Bytes == SmallBytes ? _small : _large;
        if (_disposed || free.Count * (long)block.Bytes >= KeptBytes)
        {
            block.Free();
            return;
        }

        free.Push(block);
        if (_disposed)
        {
            FreeAll(free);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _disposed = true;
        FreeAll(_small);
        FreeAll(_large);
    }

    private static void FreeAll(ConcurrentStack<ConnectionBlock> blocks)
    {
        while (blocks.TryPop(out ConnectionBlock? block))
        {
            block.Free();
        }
    }
}

using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>
/// Memory of connections in large blocks. Kestrel's own pool has blocks of 4 KiB and reads a socket into one at a time:
/// sixteen times as many system calls for a file that arrives.
/// </summary>
/// <remarks>
/// Blocks are made once and kept; those beyond <see cref="KeptBytes"/> are left to the collector. Thread-safe.
/// </remarks>
internal sealed class ConnectionMemoryPool : MemoryPool<byte>
{
    /// <summary>Bytes of the block that a connection reads into, and writes its headers to.</summary>
    /// <remarks>A connection that waits for a request holds none: Kestrel waits with an empty read.</remarks>
    public const int SmallBytes = 64 * 1024;

    /// <summary>Bytes of the block that a file is read into before it is sent.</summary>
    public const int LargeBytes = 256 * 1024;

    /// <summary>Free blocks that are kept, in bytes for each of the two sizes.</summary>
    /// <remarks>
    /// About what 200 transfers have among them. With 8 MiB a server had allocated 386 MB in the first seconds of 200 downloads.
    /// </remarks>
    public const int KeptBytes = 32 * 1024 * 1024;

    /// <summary>Makes the pools of Kestrel's transport.</summary>
    internal sealed class Factory : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new ConnectionMemoryPool();
    }

    // Under a lock rather than a ConcurrentStack, which allocates a node for every block that comes back.
    private readonly Lock _lock = new();
    private readonly Stack<ConnectionBlock> _small = new();
    private readonly Stack<ConnectionBlock> _large = new();
    private bool _disposed;

    public override int MaxBufferSize => LargeBytes;

    /// <summary>Bytes of the blocks that are free and kept.</summary>
    internal long FreeBytes
    {
        get
        {
            lock (_lock)
            {
                return (_small.Count * (long)SmallBytes) + (_large.Count * (long)LargeBytes);
            }
        }
    }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, LargeBytes);
        bool small = minBufferSize <= SmallBytes;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if ((small ? _small : _large).TryPop(out ConnectionBlock? block))
            {
                block.Lend();
                return block;
            }
        }

        return new ConnectionBlock(this, small ? SmallBytes : LargeBytes);
    }

    internal void Return(ConnectionBlock block)
    {
        lock (_lock)
        {
            Stack<ConnectionBlock> free = block.Bytes == SmallBytes ? _small : _large;
            if (!_disposed && free.Count * (long)block.Bytes < KeptBytes)
            {
                free.Push(block);
            }
        }
    }

    protected override void Dispose(bool disposing)
    {
        lock (_lock)
        {
            _disposed = true;
            _small.Clear();
            _large.Clear();
        }
    }
}

using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>
/// Memory of connections in large blocks. Kestrel's own pool has blocks of 4 KiB and reads a socket into one at a time:
/// sixteen times as many system calls for a file that arrives.
/// </summary>
/// <remarks>
/// Blocks that are free are kept, up to <see cref="KeptBytes"/>, until they were unused for <see cref="TrimInterval"/>.
/// Thread-safe.
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
    /// What 256 transfers have among them. With 8 MiB a server had allocated 386 MB in the first seconds of 200 downloads.
    /// </remarks>
    public const int KeptBytes = 64 * 1024 * 1024;

    /// <summary>How long a free block has to be unneeded before it is dropped.</summary>
    /// <remarks>Longer than the pauses between a client's transfers.</remarks>
    private static readonly TimeSpan TrimInterval = TimeSpan.FromSeconds(2);

    /// <summary>Bytes of dropped blocks for which a collection is worth its pause: on a server that is busy, and on a quiet one.</summary>
    private const long WorthCollecting = 8 * 1024 * 1024;
    private const long WorthCollectingLast = 1024 * 1024;

    /// <summary>Bytes of a heap that is too large to be compacted for dropped blocks.</summary>
    private const long LargeHeap = 1024L * 1024 * 1024;

    // Under a lock rather than a ConcurrentStack, which allocates a node for every block that comes back.
    private readonly Lock _lock = new();
    private readonly Free _small = new();
    private readonly Free _large = new();
    private readonly Timer _timer;
    private long _dropped;
    private int _users = 1;

    public ConnectionMemoryPool() =>
        _timer = new Timer(static state => ((ConnectionMemoryPool)state!).Trim(), this, TrimInterval, TrimInterval);

    public override int MaxBufferSize => LargeBytes;

    /// <summary>Bytes of the blocks that are free and kept.</summary>
    internal long FreeBytes
    {
        get
        {
            lock (_lock)
            {
                return (_small.Blocks.Count * (long)SmallBytes) + (_large.Blocks.Count * (long)LargeBytes);
            }
        }
    }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => Rent(minBufferSize, borrower: null);

    internal ConnectionBlock Rent(int minBufferSize, ConnectionMemory? borrower)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, LargeBytes);
        bool small = minBufferSize <= SmallBytes;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_users == 0, this);
            if ((small ? _small : _large).TryTake(out ConnectionBlock? block))
            {
                return block.Lend(borrower);
            }
        }

        return new ConnectionBlock(this, small ? SmallBytes : LargeBytes).Lend(borrower);
    }

    internal void Return(ConnectionBlock block)
    {
        lock (_lock)
        {
            Stack<ConnectionBlock> free = (block.Bytes == SmallBytes ? _small : _large).Blocks;
            if (_users > 0 && free.Count * (long)block.Bytes < KeptBytes)
            {
                free.Push(block);
            }
            else
            {
                _dropped += block.Bytes;
            }
        }
    }

    /// <summary>Drops the blocks unused since the last call, and gives their memory back to the system.</summary>
    internal void Trim()
    {
        lock (_lock)
        {
            long before = _dropped;
            _dropped += (_small.Trim() * (long)SmallBytes) + (_large.Trim() * (long)LargeBytes);
            if (_dropped < (_dropped == before ? WorthCollectingLast : WorthCollecting))
            {
                return;
            }

            _dropped = 0;
        }

        if (GC.GetTotalMemory(forceFullCollection: false) < LargeHeap)
        {
            // An idle server allocates nothing, so the collector would keep the memory of its busiest moment.
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        }
    }

    protected override void Dispose(bool disposing)
    {
        lock (_lock)
        {
            if (_users > 0 && --_users == 0)
            {
                _timer.Dispose();
                _small.Blocks.Clear();
                _large.Blocks.Clear();
            }
        }
    }

    private ConnectionMemoryPool Share()
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_users == 0, this);
            _users++;
            return this;
        }
    }

    /// <summary>Gives Kestrel's transport one pool for all its queues and ports, each of which asks for one and disposes it.</summary>
    internal sealed class Factory(ConnectionMemoryPool pool) : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => pool.Share();
    }

    /// <summary>Free blocks of one size.</summary>
    private sealed class Free
    {
        private int _unneeded;

        public Stack<ConnectionBlock> Blocks { get; } = new();

        public bool TryTake([NotNullWhen(true)] out ConnectionBlock? block)
        {
            bool taken = Blocks.TryPop(out block);
            _unneeded = Math.Min(_unneeded, Blocks.Count);
            return taken;
        }

        /// <returns>How many blocks were dropped.</returns>
        public int Trim()
        {
            int dropped = _unneeded;
            for (int i = 0; i < dropped; i++)
            {
                Blocks.Pop();
            }

            _unneeded = Blocks.Count;
            return dropped;
        }
    }
}

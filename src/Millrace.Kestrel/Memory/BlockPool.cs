using System.Buffers;
using System.Numerics;

namespace Millrace.Kestrel;

/// <summary>Pinned blocks of 4, 16, 64 and 256 KiB for all connections of a transport. Thread-safe.</summary>
/// <remarks>
/// Free blocks are kept, up to <see cref="KeptBytes"/> of each size, until they were unused for <see cref="TrimInterval"/>.
/// </remarks>
internal sealed class BlockPool : MemoryPool<byte>
{
    /// <summary>Free blocks that are kept, in bytes for each size.</summary>
    public const int KeptBytes = 64 * 1024 * 1024;

    private const int Sizes = 4;

    /// <summary>Each size is four times the one before.</summary>
    private const int SizeShift = 2;

    /// <summary>Bytes of dropped blocks for which a collection is worth its pause: in a busy process, and in a quiet one.</summary>
    private const long WorthCollecting = 8 * 1024 * 1024;
    private const long WorthCollectingLast = 1024 * 1024;

    /// <summary>Bytes of a heap that is too large to be compacted for dropped blocks.</summary>
    private const long LargeHeap = 1024L * 1024 * 1024;

    /// <summary>Longer than the pauses between a client's requests.</summary>
    private static readonly TimeSpan TrimInterval = TimeSpan.FromSeconds(5);

    // Under a lock rather than a ConcurrentStack, which allocates a node for every block that comes back.
    private readonly Lock _lock = new();
    private readonly Stack<Block>[] _free = [new(), new(), new(), new()];

    /// <summary>The number of free blocks of each size that were unused since the last trim.</summary>
    private readonly int[] _unneeded = new int[Sizes];
    private readonly Timer _timer;
    private readonly bool _releases;
    private long _dropped;
    private bool _disposed;

    /// <param name="releases">Whether a garbage collection gives the memory of dropped blocks back to the system.</param>
    public BlockPool(bool releases = false)
    {
        _releases = releases;
        _timer = new Timer(static state => ((BlockPool)state!).Trim(), this, TrimInterval, TrimInterval);
    }

    public override int MaxBufferSize => MillraceSocketOptions.LargestBlockBytes;

    /// <summary>Bytes of the rented blocks.</summary>
    public long RentedBytes { get; private set; }

    /// <summary>The most bytes that were held at once.</summary>
    public long PeakRentedBytes { get; private set; }

    public static int SizeOf(int index) => MillraceSocketOptions.MinBlockBytes << (SizeShift * index);

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, MaxBufferSize);
        return RentBlock(minBufferSize);
    }

    /// <summary>Rents a block; one that is larger than the largest size is not kept when it comes back.</summary>
    public Block RentBlock(int minBytes)
    {
        Block? block = null;
        int bytes = minBytes;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (minBytes <= MaxBufferSize)
            {
                int index = IndexOf(minBytes);
                bytes = SizeOf(index);
                Stack<Block> free = _free[index];
                if (free.TryPop(out block))
                {
                    _unneeded[index] = Math.Min(_unneeded[index], free.Count);
                }
            }

            RentedBytes += bytes;
            PeakRentedBytes = Math.Max(PeakRentedBytes, RentedBytes);
        }

        block ??= new Block(this, bytes);
        block.Lend();
        return block;
    }

    public void Return(Block block)
    {
        lock (_lock)
        {
            RentedBytes -= block.Bytes;
            if (!_disposed && block.Bytes <= MaxBufferSize)
            {
                Stack<Block> free = _free[IndexOf(block.Bytes)];
                if (free.Count * (long)block.Bytes < KeptBytes)
                {
                    free.Push(block);
                }
                else
                {
                    _dropped += block.Bytes;
                }
            }
        }
    }

    /// <summary>Drops the blocks unused since the last call.</summary>
    internal void Trim()
    {
        lock (_lock)
        {
            long before = _dropped;
            for (int i = 0; i < Sizes; i++)
            {
                _dropped += _unneeded[i] * (long)SizeOf(i);
                for (; _unneeded[i] > 0; _unneeded[i]--)
                {
                    _free[i].Pop();
                }

                _unneeded[i] = _free[i].Count;
            }

            if (!_releases || _dropped < (_dropped == before ? WorthCollectingLast : WorthCollecting))
            {
                return;
            }

            _dropped = 0;
        }

        if (GC.GetTotalMemory(forceFullCollection: false) < LargeHeap)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive, blocking: true, compacting: true);
        }
    }

    protected override void Dispose(bool disposing)
    {
        lock (_lock)
        {
            _disposed = true;
            _timer.Dispose();
            foreach (Stack<Block> free in _free)
            {
                free.Clear();
            }

            Array.Clear(_unneeded);
        }
    }

    private static int IndexOf(int minBytes)
    {
        int blocks = (Math.Max(minBytes, 1) - 1) / MillraceSocketOptions.MinBlockBytes;
        return (BitOperations.Log2((uint)blocks) + (blocks == 0 ? 0 : SizeShift)) / SizeShift;
    }
}

using System.Buffers;
using System.Diagnostics.Metrics;
using System.Numerics;

namespace Millrace.Kestrel;

/// <summary>Pinned blocks of 4, 16, 64 and 256 KiB for all connections of an application. Thread-safe.</summary>
/// <remarks>
/// Free blocks are kept, up to <see cref="KeptBytes"/> of each size, until no connection has needed them for <see cref="TrimInterval"/>.
/// Then the pool drops them and counts them in <see cref="Dropped"/>; the application decides when to collect them.
/// </remarks>
internal sealed class BlockPool : MemoryPool<byte>
{
    /// <summary>Free blocks that are kept, in bytes for each size.</summary>
    public const int KeptBytes = 64 * 1024 * 1024;

    private const int Sizes = 4;

    /// <summary>Each size is four times the one before.</summary>
    private const int SizeShift = 2;

    /// <summary>Longer than the pauses between a client's requests.</summary>
    private static readonly TimeSpan TrimInterval = TimeSpan.FromSeconds(2);

    private static readonly Counter<long> Dropped = new Meter(MillraceSockets.DiagnosticsName).CreateCounter<long>(
        "millrace.kestrel.memory.dropped", "By", "Bytes of blocks that were dropped because no connection needed them.");

    // Under a lock rather than a ConcurrentStack, which allocates a node for every block that comes back.
    private readonly Lock _lock = new();
    private readonly Stack<Block>[] _free = [new(), new(), new(), new()];

    /// <summary>The number of free blocks of each size that were unused since the last trim.</summary>
    private readonly int[] _unneeded = new int[Sizes];
    private readonly Timer _timer;
    private bool _disposed;

    public BlockPool()
        : this(TrimInterval)
    {
    }

    /// <param name="trimInterval">Infinite to trim only when <see cref="Trim"/> is called.</param>
    internal BlockPool(TimeSpan trimInterval) =>
        _timer = new Timer(static state => ((BlockPool)state!).Trim(), this, trimInterval, trimInterval);

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
                    return;
                }
            }
        }

        Dropped.Add(block.Bytes);
    }

    /// <summary>Drops the blocks unused since the last call.</summary>
    internal void Trim()
    {
        long dropped = 0;
        lock (_lock)
        {
            for (int i = 0; i < Sizes; i++)
            {
                dropped += _unneeded[i] * (long)SizeOf(i);
                for (; _unneeded[i] > 0; _unneeded[i]--)
                {
                    _free[i].Pop();
                }

                _unneeded[i] = _free[i].Count;
            }
        }

        if (dropped > 0)
        {
            Dropped.Add(dropped);
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

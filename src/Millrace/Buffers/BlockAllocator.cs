using System.Buffers;

namespace Millrace.Buffers;

/// <summary>Where one reader's blocks come from: Millrace's own pool, or the caller's.</summary>
internal readonly struct BlockAllocator(MemoryPool<byte>? foreign, BlockPool? pool = null)
{
    /// <summary>A block for one read of the file.</summary>
    public Block Rent() =>
        foreign is null
            ? (pool ?? BlockPool.Shared).Rent()
            : new ForeignBlock(foreign, BlockPool.HeadroomBytes, BlockPool.BodyBytes);

    /// <summary>A block without headroom that holds at least <paramref name="bytes"/> for a record longer than a block.</summary>
    public Block RentLarge(int bytes) =>
        foreign is null ? new NativeBlock(0, bytes, pool: null) : new ForeignBlock(foreign, 0, bytes);
}

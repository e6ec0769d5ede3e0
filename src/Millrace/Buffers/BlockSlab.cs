using Millrace.Interop;

namespace Millrace.Buffers;

/// <summary>
/// One huge page, divided into blocks. A device writes to it as one piece of memory where small pages are 64 pieces a
/// block: reading past the page cache took 0.6 to 0.8 of the time. See docs/direct.md. Thread-safe.
/// </summary>
internal sealed unsafe class BlockSlab
{
    /// <summary>Blocks in a slab.</summary>
    public const int Blocks = HugePages.Bytes / (BlockPool.HeadroomBytes + BlockPool.BodyBytes);

    private readonly byte* _memory = HugePages.Allocate();
    private int _used = Blocks;

    /// <summary>The memory of one block.</summary>
    public byte* this[int block] => _memory + (block * (BlockPool.HeadroomBytes + BlockPool.BodyBytes));

    /// <summary>Gives back the memory of a block; with the last one goes the slab.</summary>
    public void Release()
    {
        if (Interlocked.Decrement(ref _used) == 0)
        {
            HugePages.Free(_memory);
        }
    }
}

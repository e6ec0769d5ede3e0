namespace Millrace.Buffers;

/// <summary>
/// Keeps blocks of one size for the next reader. Thread-safe. Last returned, first rented: that block is the one whose
/// memory is still in the processor's cache.
/// </summary>
internal sealed class BlockPool(bool slabs = false)
{
    /// <summary>Alignment of a block and of its body, in bytes: a page, and what direct I/O asks of any device.</summary>
    public const int Alignment = 4096;

    /// <summary>Bytes of a block's body, one system call's worth.</summary>
    /// <remarks>
    /// The knee of the curve: smaller reads pay more system calls, larger ones fall out of the second-level cache before
    /// the caller has parsed them. See docs/measuring.md.
    /// </remarks>
    public const int BodyBytes = 256 * 1024;

    /// <summary>Bytes before the body for the unconsumed rest of the previous block.</summary>
    /// <remarks>As large as a body, so that any record up to a block fits; untouched memory costs nothing but addresses.</remarks>
    public const int HeadroomBytes = BodyBytes;

    /// <summary>Blocks kept when nobody uses them: 16 of at most 512 KiB.</summary>
    private const int MaxKept = 16;

    private readonly NativeBlock?[] _kept = new NativeBlock[MaxKept];
    private readonly Lock _gate = new();
    private int _count;

    /// <summary>The pool of the process.</summary>
    public static BlockPool Shared { get; } = new();

    /// <summary>Blocks in huge pages, for devices to write to (Linux).</summary>
    public static BlockPool Direct { get; } = new(slabs: true);

    public NativeBlock Rent()
    {
        lock (_gate)
        {
            if (_count > 0)
            {
                NativeBlock block = _kept[--_count]!;
                _kept[_count] = null;
                return block;
            }
        }

        return slabs ? RentFromNewSlab() : new NativeBlock(HeadroomBytes, BodyBytes, this);
    }

    public bool TryReturn(NativeBlock block)
    {
        lock (_gate)
        {
            if (_count < MaxKept)
            {
                // A sequence that its caller kept must not look current when the next reader has the block.
                block.RenewSegment();
                _kept[_count++] = block;
                return true;
            }
        }

        return false;
    }

    private NativeBlock RentFromNewSlab()
    {
        var slab = new BlockSlab();
        for (int i = BlockSlab.Blocks - 1; i > 0; i--)
        {
            new NativeBlock(slab, i, this).Release();
        }

        return new NativeBlock(slab, 0, this);
    }
}

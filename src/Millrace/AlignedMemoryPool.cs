using System.Buffers;
using Millrace.Buffers;

namespace Millrace;

/// <summary>Rents native memory that is aligned to pages: blocks of 512 KiB that the garbage collector never sees.</summary>
/// <remarks>
/// <para>
/// Use it for buffers that live longer than one call and that files or sockets are read into. The memory is the one that
/// file pipes use, so both share the kept blocks. Untouched pages of a block take up addresses and no memory.
/// </para>
/// <para>
/// The caller owns a block from <see cref="Rent"/> until <see cref="IDisposable.Dispose"/> and must dispose it exactly once:
/// owners are pooled with their blocks, so that renting allocates nothing, and a second call may end another caller's rent.
/// A block that is never disposed leaks. Thread-safe.
/// </para>
/// </remarks>
public sealed class AlignedMemoryPool : MemoryPool<byte>
{
    private AlignedMemoryPool()
    {
    }

    /// <summary>The pool of the process. It keeps up to 16 blocks, 8 MiB, for the next rent.</summary>
    public static new AlignedMemoryPool Shared { get; } = new();

    /// <summary>Bytes of every block: 524,288.</summary>
    public override int MaxBufferSize => BlockPool.BlockBytes;

    /// <summary>Rents a block.</summary>
    /// <param name="minBufferSize">Bytes needed, up to <see cref="MaxBufferSize"/>; -1 for any number.</param>
    /// <returns>
    /// <see cref="MaxBufferSize"/> bytes, whatever was asked for, at an address that is a multiple of 4,096. The content is
    /// undefined.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="minBufferSize"/> is less than -1 or more than <see cref="MaxBufferSize"/>.
    /// </exception>
    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(minBufferSize, -1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, MaxBufferSize);
        return BlockPool.Shared.Rent();
    }

    /// <summary>Does nothing: the pool belongs to the process.</summary>
    /// <param name="disposing">Ignored.</param>
    protected override void Dispose(bool disposing)
    {
    }
}

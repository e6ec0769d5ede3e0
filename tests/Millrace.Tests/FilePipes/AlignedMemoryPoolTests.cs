using System.Runtime.InteropServices;
using Xunit;

namespace Millrace.Tests.FilePipes;

/// <summary>The memory that file pipes and programs share.</summary>
public sealed class AlignedMemoryPoolTests
{
    [Theory]
    [InlineData(-1)]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(512 * 1024)]
    public unsafe void A_block_is_aligned_to_pages_and_has_all_its_bytes(int bytes)
    {
        using IMemoryOwner<byte> owner = AlignedMemoryPool.Shared.Rent(bytes);

        Assert.Equal(AlignedMemoryPool.Shared.MaxBufferSize, owner.Memory.Length);
        owner.Memory.Span.Fill(7);
        Assert.False(MemoryMarshal.TryGetArray<byte>(owner.Memory, out _));
        using MemoryHandle pin = owner.Memory.Pin();
        Assert.Equal(0, (nint)pin.Pointer % 4096);
    }

    [Theory]
    [InlineData(-2)]
    [InlineData((512 * 1024) + 1)]
    public void Sizes_outside_the_range_are_rejected(int bytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => AlignedMemoryPool.Shared.Rent(bytes));

    [Fact]
    public void Renting_allocates_no_managed_memory() =>
        Assert.Equal(0, Least.Of(GC.GetAllocatedBytesForCurrentThread, 0, () => AlignedMemoryPool.Shared.Rent().Dispose()));

    [Fact]
    public void Two_rents_never_share_memory()
    {
        using IMemoryOwner<byte> first = AlignedMemoryPool.Shared.Rent();
        using IMemoryOwner<byte> second = AlignedMemoryPool.Shared.Rent();

        Assert.False(first.Memory.Span.Overlaps(second.Memory.Span));
    }

    [Fact]
    public void Disposing_the_pool_leaves_it_usable()
    {
        AlignedMemoryPool.Shared.Dispose();

        using IMemoryOwner<byte> owner = AlignedMemoryPool.Shared.Rent();
        Assert.Equal(512 * 1024, owner.Memory.Length);
    }
}

using System.Buffers;
using Millrace.Buffers;
using Millrace.Sources;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Sources;

/// <summary>Blocks are read into memory that is in step with the file, wherever the reading begins, stops or goes on.</summary>
public sealed class BlockAlignmentTests : IThreadPoolWorkItem
{
    private const int Length = 9 * 1024 * 1024;
    private const int Page = BlockPool.Alignment;

    public static TheoryData<int, bool> Places => new()
    {
        { 0, false }, { 1, false }, { 5, false }, { 4089, false }, { 4095, false }, { 4096, false }, { 1_000_003, false },
        { 0, true }, { 5, true }, { 4089, true },
    };

    [Theory]
    [MemberData(nameof(Places))]
    public void Every_claimed_block_is_in_step_and_the_second_begins_with_a_page(int offset, bool foreign)
    {
        using BlockQueue queue = Queue(new FileReadOptions { Offset = offset, Pool = foreign ? MemoryPool<byte>.Shared : null });
        var blocks = new List<Block>();
        for (int i = 0; i < 4; i++)
        {
            Block block = queue.TryClaim()!;
            AssertInStep(block);
            Assert.True(block.Wanted > 0 && block.Wanted <= block.BodyCapacity);
            Assert.Equal(i == 0 ? offset : blocks[^1].FileOffset + blocks[^1].Wanted, block.FileOffset);
            Assert.True(i == 0 || block.FileOffset % Page == 0);
            blocks.Add(block);
        }

        blocks.ForEach(block => queue.Finish(block));
    }

    [Theory]
    [InlineData(ReadStrategy.Buffered, 32, true)]
    [InlineData(ReadStrategy.Buffered, 31, false)]
    [InlineData(ReadStrategy.ReadAhead, 32, false)]
    public async Task One_thread_reads_a_large_file_where_the_processor_keeps_it_in_its_cache(
        ReadStrategy strategy, int megabytes, bool ahead)
    {
        using var folder = new TemporaryFolder();
        string path = folder["x"];
        using (FileStream file = File.Create(path))
        {
            file.SetLength(megabytes * 1024L * 1024L);
        }

        await using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { Strategy = strategy });
        for (int i = 0; i < 4; i++)
        {
            ReadOnlySequence<byte> buffer = (await reader.ReadAsync()).Buffer;
            Assert.Equal(ahead ? PageStep.KeepsInCache : 0, AddressOf(buffer) % Page);

            reader.AdvanceTo(buffer.End);
        }
    }

    [Fact]
    public void Block_read_in_place_after_short_reads_is_in_step_and_keeps_what_was_carried()
    {
        using BlockQueue queue = Queue(default);
        var window = default(Window);
        var random = new Random(18);
        long carriedFrom = 0;
        for (int i = 0; i < 300; i++)
        {
            Block block = ClaimInPlace(queue, window.Block);
            bool own = ReferenceEquals(block, window.Block);
            AssertInStep(block);
            if (own)
            {
                window.MoveToHeadroom();
            }

            // A short read, after which the next one begins anywhere; the bytes name their place in the file.
            block.Filled = Math.Min(block.Wanted, random.Next(1, 20_000));
            Fill(block);
            queue.FinishInPlace(block, complete: false);
            if (own)
            {
                window.Extend(block.Filled);
            }
            else
            {
                queue.Append(ref window, block);
            }

            AssertBytes(window, carriedFrom);
            int kept = random.Next(Math.Min(window.Length, 20_000) + 1);
            window.Start = window.End - kept;
            carriedFrom = window.StartOffset;
        }

        window.Block?.Release();
    }

    [Fact]
    public void Rest_of_a_block_that_stopped_early_is_in_step()
    {
        using BlockQueue queue = Queue(default);
        Block block = ClaimInPlace(queue, own: null);
        Block later = queue.TryClaim()!;
        block.Filled = 5_001;

        queue.FinishInPlace(block, complete: false);

        Block rest = queue.TakeWork(ReadAhead.Never)!;
        Assert.Equal(5_001, rest.FileOffset);
        AssertInStep(rest);
        queue.Finish(rest);
        queue.Finish(later);
        block.Release();
    }

    [Fact]
    public void Pooled_block_forgets_where_it_was_read_from()
    {
        NativeBlock block = BlockPool.Shared.Rent();
        block.Align(4095);
        Assert.Equal(BlockPool.HeadroomBytes + 4095, block.Headroom);
        block.Release();

        block = BlockPool.Shared.Rent();
        Assert.Equal(BlockPool.HeadroomBytes, block.Headroom);
        block.Release();
    }

    [Fact]
    public async Task Bytes_are_right_from_every_odd_place_in_blocks_of_every_size()
    {
        string path = TestFolder.NewFile(Length);
        byte[] expected = await File.ReadAllBytesAsync(path);
        foreach (int blockBytes in new[] { 0, 4096, 65536, 512 * 1024, 1024 * 1024, 2 * 1024 * 1024 })
        {
            foreach (int offset in new[] { 1, 4089, Length / 2 })
            {
                await using FilePipeReader reader =
                    FilePipe.OpenRead(path, new FileReadOptions { Offset = offset, BlockBytes = blockBytes });
                Assert.Equal(expected[offset..], await reader.ReadToEndAsync());
            }
        }
    }

    void IThreadPoolWorkItem.Execute()
    {
        // The tests take the work themselves.
    }

    private static unsafe long AddressOf(in ReadOnlySequence<byte> buffer)
    {
        fixed (byte* memory = buffer.FirstSpan)
        {
            return (long)memory;
        }
    }

    private static unsafe void AssertInStep(Block block) =>
        Assert.Equal(0, ((long)block.Body - block.FileOffset) % Page);

    private static unsafe void Fill(Block block)
    {
        for (int i = 0; i < block.Filled; i++)
        {
            block.Body[i] = (byte)((block.FileOffset + i) % 251);
        }
    }

    private static unsafe void AssertBytes(in Window window, long from)
    {
        Assert.Equal(from, window.StartOffset);
        for (int i = 0; i < window.Length; i++)
        {
            if (window.Block!.Pointer[window.Start + i] != (byte)((from + i) % 251))
            {
                Assert.Fail($"The byte at {from + i} was lost.");
            }
        }
    }

    private static Block ClaimInPlace(BlockQueue queue, Block? own)
    {
        Assert.Equal(ReadStep.ReadInPlace, queue.Next(own, helps: true, reads: true, ahead: false, out Block? block));
        return block!;
    }

    private BlockQueue Queue(in FileReadOptions options)
    {
        OpenFile file = OpenFile.Open(TestFolder.NewFile(Length), options);
        BlockSizes sizes = BlockSizes.For(file, options);
        return new BlockQueue(file, sizes.Allocator(options.Pool), this) { Depth = 4, BlockBytes = sizes.Bytes, Handle = file };
    }
}

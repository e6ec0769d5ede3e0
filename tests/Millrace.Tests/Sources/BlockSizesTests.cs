using System.Buffers;
using Millrace.Interop;
using Millrace.Sources;
using Millrace.Tuning;

namespace Millrace.Tests.Sources;

/// <summary>How many bytes a block takes: the requested size, or the one for the processor, in proportion to the file.</summary>
public sealed class BlockSizesTests
{
    private const int KiB = 1024;
    private const int MiB = 1024 * 1024;

    [NeedsTheory(Need.Native)]
    [InlineData(MiB, 256 * KiB)]
    [InlineData(2 * MiB, 512 * KiB)]
    [InlineData(5 * MiB, MiB)]
    [Trait("Needs", "Native")]
    public void Block_is_the_processors_size_and_at_most_a_quarter_of_the_file(int length, int limit)
    {
        using OpenFile file = OpenFile.Open(Sparse(length), default);

        BlockSizes sizes = BlockSizes.For(file, default);

        Assert.Equal((Math.Min(limit, CopySize.Known), limit > 256 * KiB), (sizes.Bytes, sizes.Reason is not null));
    }

    [Theory]
    [InlineData(true, false, 0, 64 * MiB, 256 * KiB)]
    [InlineData(false, true, 0, 64 * MiB, 256 * KiB)]
    [InlineData(false, false, 0, 1, 256 * KiB)]
    [InlineData(true, true, 512 * KiB, 64 * MiB, 512 * KiB)]
    [InlineData(false, false, 4 * KiB, 64 * MiB, 4 * KiB)]
    public void Blocks_do_not_follow_the_processor_for_foreign_pools_and_portable_reading_and_small_buffers_or_when_fixed(
        bool portable, bool foreign, int fixedBytes, int maxBuffered, int expected)
    {
        var options = new FileReadOptions
        {
            Portable = portable,
            Pool = foreign ? MemoryPool<byte>.Shared : null,
            BlockBytes = fixedBytes,
            MaxBufferedBytes = maxBuffered,
        };
        using OpenFile file = OpenFile.Open(Sparse(64 * MiB), options);

        Assert.Equal(new BlockSizes(expected, fixedBytes > 0 ? "as asked for" : null), BlockSizes.For(file, options));
    }

    [Fact]
    public async Task Reason_names_the_size_of_blocks_and_why()
    {
        string path = Sparse(64 * MiB);
        await using FilePipeReader tuned = FilePipe.OpenRead(path);
        await using FilePipeReader asked = FilePipe.OpenRead(path, new FileReadOptions { BlockBytes = 64 * KiB });
        await using FilePipeReader small = FilePipe.OpenRead(Sparse(10), default);

        Assert.Equal(NativeFeatures.Linux, tuned.StrategyReason.Contains("blocks of", StringComparison.Ordinal));
        Assert.EndsWith("; blocks of 64 KiB, as asked for", asked.StrategyReason, StringComparison.Ordinal);
        Assert.DoesNotContain("blocks", small.StrategyReason, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Bash)]
    [InlineData(131_072, "128 KiB, fixed for the process")]
    [InlineData(2_097_152, "2048 KiB, fixed for the process")]
    [Trait("Needs", "Native")]
    public async Task Variable_fixes_the_size_for_the_process(int bytes, string expected)
    {
        using ChildProcess child = ChildProcess.StartAfter(
            $"export MILLRACE_NO_MAPPING=1 MILLRACE_BLOCK_BYTES={bytes}", "strategy", Sparse(64 * MiB));

        Assert.EndsWith($"; blocks of {expected}", await child.ReadLineAsync(), StringComparison.Ordinal);
        Assert.Equal(0, await child.EndAsync());
    }

    private static string Sparse(long length)
    {
        string path = TestFolder.NewPath();
        using FileStream file = File.Create(path);
        file.SetLength(length);
        return path;
    }
}

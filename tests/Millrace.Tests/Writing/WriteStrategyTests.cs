using Millrace.Interop;

namespace Millrace.Tests.Writing;

/// <summary>The chosen strategy and its reason.</summary>
public sealed class WriteStrategyTests
{
    [Theory]
    [InlineData(WriteStrategy.Auto, Durability.None, WriteStrategy.Buffered)]
    [InlineData(WriteStrategy.Auto, Durability.OnCommit, WriteStrategy.WriteBehind)]
    [InlineData(WriteStrategy.Buffered, Durability.OnCommit, WriteStrategy.Buffered)]
    [InlineData(WriteStrategy.WriteBehind, Durability.None, WriteStrategy.WriteBehind)]
    public void Strategy_is_the_requested_or_the_next_best_one(WriteStrategy asked, Durability durability, WriteStrategy expected)
    {
        using var folder = new TemporaryFolder();
        using FilePipeWriter writer = FilePipe.Create(
            folder["file"], new FileWriteOptions { Strategy = asked, Durability = durability });
        Assert.Equal(NativeFeatures.Linux ? expected : WriteStrategy.Buffered, writer.Strategy);
        Assert.NotEmpty(writer.StrategyReason);
    }

    [NeedsFact(Need.Mount)]
    public void Direct_on_an_in_memory_file_system_falls_back_to_buffered_with_a_reason()
    {
        using MountedDisk disk = MountedDisk.InMemory(1024 * 1024);
        using FilePipeWriter writer = FilePipe.Create(
            disk["file"], new FileWriteOptions { Strategy = WriteStrategy.Direct });
        Assert.Equal(WriteStrategy.Buffered, writer.Strategy);
        Assert.Contains(NativeFeatures.Linux ? "memory" : "no calls", writer.StrategyReason, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Mount | Need.Ext4 | Need.Native)]
    public async Task Direct_leaves_nothing_of_whole_blocks_in_the_page_cache()
    {
        using MountedDisk disk = MountedDisk.Formatted("ext4", 32 * 1024 * 1024);
        await using FilePipeWriter writer = FilePipe.Create(
            disk["file"], new FileWriteOptions { Strategy = WriteStrategy.Direct });
        Assert.Equal(WriteStrategy.Direct, writer.Strategy);
        await writer.WriteAsync(TestContent.Of(8_000_000));
        await writer.CommitAsync();
        int pages = int.Parse(
            Shell.Run("fincore", "--noheadings", "--raw", "--output", "PAGES", disk["file"]),
            System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(pages, 0, 256 * 1024 / 4096);
        Assert.Equal(TestContent.Of(8_000_000).ToArray(), await File.ReadAllBytesAsync(disk["file"]));
    }
}

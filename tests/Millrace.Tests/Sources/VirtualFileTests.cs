using System.Text;

namespace Millrace.Tests.Sources;

/// <summary>Files of /proc and /sys: their size is 0 or a page, whatever is in them.</summary>
public sealed class VirtualFileTests
{
    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_file_of_proc_without_a_size_is_read_to_its_end(ReadStrategy strategy, bool portable)
    {
        string text = await ReadAsync("/proc/self/status", strategy, portable);

        Assert.StartsWith("Name:", text, StringComparison.Ordinal);
        Assert.Contains("\nThreads:", text, StringComparison.Ordinal);
        Assert.Contains("\nnonvoluntary_ctxt_switches:", text, StringComparison.Ordinal);
        Assert.EndsWith("\n", text, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_file_of_proc_reads_the_same_as_with_File_ReadAllBytes(ReadStrategy strategy, bool portable)
    {
        foreach (string path in new[] { "/proc/version", "/proc/filesystems", "/proc/self/environ" })
        {
            Assert.Equal(await File.ReadAllTextAsync(path), await ReadAsync(path, strategy, portable));
        }

        Assert.Equal(
            Steady(await File.ReadAllTextAsync("/proc/cpuinfo")),
            Steady(await ReadAsync("/proc/cpuinfo", strategy, portable)));

        // The clock rate moves between one read and the next.
        static IEnumerable<string> Steady(string text) =>
            text.Split('\n').Where(line => !line.StartsWith("cpu MHz", StringComparison.Ordinal));
    }

    [NeedsTheory(Need.Linux)]
    [InlineData(ReadStrategy.Buffered, false)]
    [InlineData(ReadStrategy.Buffered, true)]
    [InlineData(ReadStrategy.ReadAhead, false)]
    [InlineData(ReadStrategy.ReadAhead, true)]
    public async Task A_file_of_proc_of_many_blocks_is_read_in_short_pieces(ReadStrategy strategy, bool portable)
    {
        // The kernel's symbols: about 5 MB, of which a read gives what fits, in whole lines.
        string text = await ReadAsync("/proc/kallsyms", strategy, portable);

        Assert.Equal(await File.ReadAllTextAsync("/proc/kallsyms"), text);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_file_of_sys_ends_before_its_size(ReadStrategy strategy, bool portable)
    {
        const string Path = "/sys/devices/system/cpu/online";
        Assert.Equal(4096, new FileInfo(Path).Length);

        string text = await ReadAsync(Path, strategy, portable);

        Assert.Equal(await File.ReadAllTextAsync(Path), text);
        Assert.InRange(text.Length, 2, 100);
    }

    [NeedsTheory(Need.Linux), EveryValue]
    public async Task A_file_without_a_size_can_be_read_again(ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open("/proc/version", strategy, portable);
        byte[] first = await reader.ReadToEndAsync();
        Assert.True(reader.CanSeek);
        Assert.Equal(0, reader.Length);
        Assert.Equal(first.Length, reader.Position);

        reader.Seek(6);

        Assert.Equal(first[6..], await reader.ReadToEndAsync());
    }

    private static async Task<string> ReadAsync(string path, ReadStrategy strategy, bool portable)
    {
        await using FilePipeReader reader = TestReader.Open(path, strategy, portable);
        return Encoding.UTF8.GetString(await reader.ReadToEndAsync());
    }
}

using System.Runtime.InteropServices;

namespace Millrace.Tests.Docs;

/// <summary>The code in docs/scan.md compiles and works as described.</summary>
public sealed class ScanPageTests
{
    [Fact]
    public async Task The_sample_of_lines_counts_them() =>
        Assert.Equal(
            TestContent.Of(3_000_000).Span.Count((byte)'\n'),
            await ScanSample.CountLinesAsync(TestFolder.SharedFile(3_000_000)).Soon());

    [Fact]
    public async Task The_sample_of_numbers_adds_them_up()
    {
        long[] numbers = [.. Enumerable.Range(0, 300_000).Select(number => number * 1_000_003L)];
        string path = TestFolder.NewPath();
        await File.WriteAllBytesAsync(path, MemoryMarshal.AsBytes(numbers.AsSpan()).ToArray());

        Assert.Equal(numbers.Sum(), await ScanSample.SumAsync(path).Soon());
    }
}

using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Millrace.Tests.Docs;

/// <summary>What docs/scan.md shows compiles and does what it says.</summary>
public sealed partial class ScanPageTests
{
    [Fact]
    public void The_page_shows_the_compiled_samples()
    {
        string source = File.ReadAllText(
            Path.Combine(Repository.Root, "tests", "Millrace.Tests", "Docs", "ScanSample.cs"));
        string[] compiled =
        [
            .. Sample().Matches(source).Select(match => string.Join(
                '\n', match.Groups["code"].Value.Split('\n').Select(line => line.Length > 4 ? line[4..] : line)).Trim()),
        ];
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "scan.md"));

        Assert.Equal(compiled, Block().Matches(page).Select(match => match.Groups["code"].Value.Trim()));
    }

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

    [GeneratedRegex(@"// sample: begin\n(?<code>.*?)// sample: end", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Sample();

    [GeneratedRegex(@"```csharp\n(?<code>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Block();
}

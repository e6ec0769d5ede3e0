using System.Text.RegularExpressions;

namespace Millrace.Tests.Docs;

/// <summary>What docs/append.md shows compiles and does what it says.</summary>
public sealed partial class AppendTests
{
    [Fact]
    public void The_page_shows_the_compiled_sample()
    {
        string source = File.ReadAllText(Path.Combine(Repository.Root, "tests", "Millrace.Tests", "Docs", "AppendSample.cs"));
        string compiled = string.Join(
            '\n',
            Sample().Match(source).Groups["code"].Value.Split('\n').Select(line => line.Length > 4 ? line[4..] : line)).Trim();
        string page = File.ReadAllText(Path.Combine(Repository.Root, "docs", "append.md"));

        Assert.Equal(compiled, Block().Match(page).Groups["code"].Value.Trim());
    }

    [Fact]
    public async Task The_sample_appends_lines()
    {
        string path = TestFolder.NewPath();
        await AppendSample.LogAsync(path, new[] { "one", "two" }.ToAsyncEnumerable()).Soon();

        Assert.Equal("one\ntwo\n", await File.ReadAllTextAsync(path));
    }

    [GeneratedRegex(@"// sample: begin\n(?<code>.*?)// sample: end", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Sample();

    [GeneratedRegex(@"```csharp\n(?<code>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Block();
}

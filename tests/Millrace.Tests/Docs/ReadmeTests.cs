using System.Text.RegularExpressions;

namespace Millrace.Tests.Docs;

/// <summary>What README.md and docs/ show is what there is.</summary>
public sealed partial class ReadmeTests
{
    private static readonly string Root = Repository.Root;

    [Fact]
    public void The_readme_shows_the_compiled_sample()
    {
        string source = File.ReadAllText(Path.Combine(Root, "tests", "Millrace.Tests", "Docs", "ReadmeSample.cs"));
        string sample = Between(source, "// README: begin", "// README: end");
        string unindented = string.Join('\n', sample.Split('\n').Select(line => line.Length > 4 ? line[4..] : line)).Trim();

        Assert.Contains(unindented, File.ReadAllText(Path.Combine(Root, "README.md")), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", 0)]
    [InlineData("\n", 1)]
    [InlineData("one\ntwo\nthree", 2)]
    public async Task The_sample_in_the_readme_counts_lines(string text, long lines)
    {
        string path = TestFolder.NewPath(".txt");
        await File.WriteAllTextAsync(path, text);

        Assert.Equal(lines, await ReadmeSample.CountLinesAsync(path).Soon());
    }

    [Fact]
    public void Every_link_between_documents_has_a_target()
    {
        string[] pages =
        [
            .. Directory.GetFiles(Root, "*.md"),
            .. Directory.GetFiles(Path.Combine(Root, "docs"), "*.md"),
            .. Directory.GetFiles(Path.Combine(Root, "samples"), "*.md"),
        ];
        var broken = new List<string>();
        foreach (string page in pages)
        {
            foreach (Match link in LocalLink().Matches(File.ReadAllText(page)))
            {
                string target = Path.Combine(Path.GetDirectoryName(page)!, link.Groups[1].Value);
                if (!File.Exists(target) && !Directory.Exists(target))
                {
                    broken.Add($"{Path.GetFileName(page)} → {link.Groups[1].Value}");
                }
            }
        }

        Assert.Empty(broken);
    }

    [GeneratedRegex(@"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")]
    private static partial Regex LocalLink();

    private static string Between(string text, string begin, string end)
    {
        int from = text.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        int to = text.IndexOf(end, from, StringComparison.Ordinal);
        return text[from..to];
    }
}

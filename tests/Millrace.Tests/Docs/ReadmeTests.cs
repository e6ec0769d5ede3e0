using System.Text.RegularExpressions;

namespace Millrace.Tests.Docs;

/// <summary>What README.md and docs/ show is what there is.</summary>
public sealed partial class ReadmeTests
{
    private static readonly string Root = Repository.Root;

    [Theory]
    [InlineData("docs/append.md", "AppendSample.cs")]
    [InlineData("docs/scan.md", "ScanSample.cs")]
    [InlineData("docs/sequences.md", "SequencesSample.cs")]
    public void Pages_show_their_compiled_samples(string page, string file)
    {
        string source = File.ReadAllText(Path.Combine(Root, "tests", "Millrace.Tests", "Docs", file));
        IEnumerable<string> compiled = Sample().Matches(source).Select(match => string.Join(
            '\n', match.Groups["code"].Value.Split('\n').Select(line => line.Length > 4 ? line[4..] : line)).Trim());
        string text = File.ReadAllText(Path.Combine(Root, page));
        string[] shown = [.. Block().Matches(text).Select(match => match.Groups["code"].Value.Trim())];

        Assert.NotEmpty(compiled);
        Assert.Equal(compiled, shown);
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

    [GeneratedRegex(@"// sample: begin\n(?<code>.*?)// sample: end", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Sample();

    [GeneratedRegex(@"```csharp\n(?<code>.*?)```", RegexOptions.Singleline | RegexOptions.ExplicitCapture)]
    private static partial Regex Block();

    [GeneratedRegex(@"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")]
    private static partial Regex LocalLink();
}

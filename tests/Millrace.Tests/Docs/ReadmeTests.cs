using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Millrace.Tests.Infrastructure;

namespace Millrace.Tests.Docs;

/// <summary>What README.md and docs/ show is what there is.</summary>
public sealed partial class ReadmeTests
{
    private static readonly string Root = Repository.Root;

    private static readonly (int Buffer, string Name)[] ReadmeRows =
    [
        (2048, "2 KiB"), (4096, "4 KiB"), (16384, "16 KiB"), (65536, "64 KiB"), (262144, "256 KiB"), (1048576, "1 MiB"),
    ];

    [Fact]
    public void The_sample_in_the_readme_is_the_one_that_is_compiled()
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
    public void The_table_in_the_readme_is_what_the_committed_run_measured()
    {
        string results = Path.Combine(Root, "results", "intel-xeon-2-cores-linux-6.18", "files", "results.json");
        using JsonDocument run = JsonDocument.Parse(File.ReadAllBytes(results));
        string readme = File.ReadAllText(Path.Combine(Root, "README.md"));

        foreach ((int buffer, string name) in ReadmeRows)
        {
            double stream = MedianMs(run, "FileStreamSync", buffer);
            double framework = MedianMs(run, "PipeReaderCreate", buffer);
            double pipe = MedianMs(run, "FilePipe", buffer);
            string row = string.Create(
                CultureInfo.InvariantCulture,
                $"| {name} | {stream:F1} | {framework:F1} | **{pipe:F1}** | {pipe / stream:F2} |");
            Assert.Contains(row, readme, StringComparison.Ordinal);
        }

        Assert.Contains(run.RootElement.GetProperty("command").GetString()!, readme, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_link_between_the_documents_leads_somewhere()
    {
        string[] pages =
        [
            .. Directory.GetFiles(Root, "*.md"), .. Directory.GetFiles(Path.Combine(Root, "docs"), "*.md"),
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

    private static double MedianMs(JsonDocument run, string method, int buffer)
    {
        JsonElement found = Assert.Single(
            run.RootElement.GetProperty("cases").EnumerateArray(),
            entry => entry.GetProperty("method").GetString() == method
                && entry.GetProperty("parameters").GetProperty("buffer").GetInt32() == buffer
                && entry.GetProperty("parameters").GetProperty("bytes").GetInt64() == 128 * 1024 * 1024
                && entry.GetProperty("parameters").GetProperty("cache").GetString() == "hot");
        return found.GetProperty("summary").GetProperty("wallNs").GetProperty("median").GetDouble() / 1e6;
    }

    private static string Between(string text, string begin, string end)
    {
        int from = text.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        int to = text.IndexOf(end, from, StringComparison.Ordinal);
        return text[from..to];
    }
}

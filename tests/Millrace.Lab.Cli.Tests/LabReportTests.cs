using System.IO.Compression;

namespace Millrace.Lab.Cli.Tests;

public sealed class LabReportTests : CommandTest
{
    [Fact]
    public async Task Table_of_the_readme_is_what_the_command_makes_of_the_committed_results()
    {
        string copy = Folder["README.md"];
        File.Copy(Path.Combine(Repository.Root, "README.md"), copy);
        string before = await File.ReadAllTextAsync(copy);
        await File.WriteAllTextAsync(copy, before.Replace("| buffer |", "| spoilt |", StringComparison.Ordinal));
        string[] machines = [.. Directory.EnumerateDirectories(Path.Combine(Repository.Root, "results"))
            .Select(machine => Path.Combine(machine, "files")).Where(Directory.Exists).Order(StringComparer.Ordinal)];
        Assert.Contains(StoredRunFiles.CommittedFiles, machines);
        await PrintAsync(["report", .. machines, "--out", "report", "--table", copy]);
        Assert.Equal(before.ReplaceLineEndings("\n"), await File.ReadAllTextAsync(copy));
    }

    [Fact]
    public async Task Reports_are_written_beside_the_results()
    {
        Copy("one");
        string output = await PrintAsync("report", "one");
        Assert.Contains(Path.Combine(Folder.Path, "one", "report.html"), output, StringComparison.Ordinal);
        Assert.StartsWith("<!doctype html>", Text("one", "report.html"), StringComparison.Ordinal);
        Assert.StartsWith("# Millrace laboratory: files, ", Text("one", "report.md"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Several_runs_make_one_report_in_the_folder_that_is_named()
    {
        string file = Copy("one");
        Copy("two");
        await PrintAsync("report", file, "two", "--out", "both");
        Assert.Equal(3, Text("both", "report.md").Split("# Millrace laboratory: files, ").Length);
        Assert.Equal(2, RunsIn("both"));
        Assert.False(File.Exists(Path.Combine(Folder.Path, "one", "report.html")));
    }

    [Fact]
    public async Task File_that_cannot_be_read_is_named_and_the_others_are_used()
    {
        Copy("good");
        Directory.CreateDirectory(Folder["bad"]);
        await File.WriteAllTextAsync(Path.Combine(Folder.Path, "bad", ResultsFile.Name), "{");
        (int exitCode, string output, string error) =
            await RunAsync("report", "bad", "good", "--out", "out");
        Assert.True(exitCode == 0, output + error);
        Assert.Contains(Path.Combine("bad", ResultsFile.Name), error, StringComparison.Ordinal);
        Assert.Equal(1, RunsIn("out"));
    }

    [Fact]
    public async Task Nothing_to_report_is_an_error_and_writes_nothing()
    {
        string error = await FailAsync(1, "report", "missing", "--out", "out");
        Assert.Contains("missing does not exist", error, StringComparison.Ordinal);
        Assert.Contains("nothing was written", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(Folder["out"]));
        Assert.NotEmpty(await FailAsync(1, "report"));
    }

    // The committed run, which is as real as they come.
    private string Copy(string name)
    {
        string folder = Directory.CreateDirectory(Path.Combine(Folder.Path, name)).FullName;
        string copy = Path.Combine(folder, ResultsFile.PackedName);
        File.Copy(Path.Combine(StoredRunFiles.CommittedFiles, ResultsFile.PackedName), copy);
        return copy;
    }

    // The page has the runs as JSON, compressed with gzip, in base 64.
    private int RunsIn(string folder)
    {
        string data = Text(folder, "report.html").Split("<script id=\"report-data\" type=\"text/plain\">")[1].Split("</script>")[0];
        using var gzip = new GZipStream(new MemoryStream(Convert.FromBase64String(data)), CompressionMode.Decompress);
        return JsonDocument.Parse(gzip).RootElement.GetProperty("runs").GetArrayLength();
    }

    private string Text(string folder, string name) => File.ReadAllText(Path.Combine(Folder.Path, folder, name));
}

using Millrace.Cli.Tests;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli.Tests;

/// <summary>Runs of `millrace lab writes`, of the cases that take little time.</summary>
public sealed class LabWritesTests : IDisposable
{
    private readonly string _folder = Directory.CreateDirectory(
        Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"))).FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Writes_run_leaves_no_files()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder,
            "writes", "--launches", "1", "--data", "data", "--filter", "FilePipe/4MiB/65536/*",
            "--filter", "FileStreamSync*/4MiB/65536/*");
        Assert.True(exitCode == 0, output + error);
        string folder = Path.Combine(_folder, "results", "latest");
        LabResults results = ResultsFile.Read(Path.Combine(folder, "results.json"));
        Assert.Equal("writes", results.Suite);
        Assert.Equal(["commit", "none"], results.Cases.Select(item => item.Parameters.Durability).Distinct().Order());
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.NotNull(item.Summary!.AllocatedBytes ?? (item.Role is null ? null : 0));
        });
        Assert.Contains(results.Finding!, output, StringComparison.Ordinal);
        string report = await File.ReadAllTextAsync(Path.Combine(folder, "report.md"));
        Assert.Contains("4 MiB, durability commit", report, StringComparison.Ordinal);
        Assert.Contains("| Method | Chunk |", report, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(Path.Combine(_folder, "data"), "result*", SearchOption.AllDirectories));

        (exitCode, output, error) = await Command.RunAsync(_folder, "advise", folder);
        Assert.True(exitCode == 0, output + error);
        Assert.Contains("on the device when the commit returns", output.ReplaceLineEndings(" ").Replace("  ", " ", StringComparison.Ordinal), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Help_describes_what_is_measured()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "writes", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("write a file, durably or not", output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        Assert.Contains("--filter \"FilePipe/*/commit\"", output, StringComparison.Ordinal);
        (exitCode, output, _) = await Command.RunAsync(_folder, "null", "writes", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("\"writes\" against itself", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_option_is_rejected_with_an_alternative()
    {
        (int exitCode, _, string error) = await Command.RunAsync(_folder, "writes", "--file", "mine", "--data", "data");
        Assert.Equal(1, exitCode);
        Assert.Contains("--data", error, StringComparison.Ordinal);
    }
}

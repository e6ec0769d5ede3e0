using Millrace.Cli.Tests;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli.Tests;

/// <summary>Runs of `millrace lab transfers`, of the cases that take little time.</summary>
public sealed class LabTransfersTests : IDisposable
{
    private readonly string _folder = Directory.CreateDirectory(
        Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"))).FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Transfers_run_uses_two_processes_and_leaves_no_copy()
    {
        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder,
            "transfers", "--launches", "1", "--data", "data", "--filter", "Http1/*/65536/*");
        Assert.True(exitCode == 0, output + error);
        string folder = Path.Combine(_folder, "results", "latest");
        LabResults results = ResultsFile.Read(Path.Combine(folder, "results.json"));
        Assert.Equal("transfers", results.Suite);
        Assert.Equal(["download", "upload"], results.Cases.Select(item => item.Parameters.Direction).Distinct().Order());
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal(2, item.Parameters.Processes);
            Assert.NotNull(item.Summary!.ServerCpuNs);
            Assert.NotNull(item.Summary.ServerAllocatedBytes);
            Assert.Equal(OperatingSystem.IsLinux(), item.Summary.ServerPeakResidentBytes is not null);
        });
        string report = await File.ReadAllTextAsync(Path.Combine(folder, "report.md"));
        Assert.Contains("download, digest none, between two processes", report, StringComparison.Ordinal);
        Assert.Contains("| Server CPU ms | Server allocated |", report, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(Path.Combine(_folder, "data"), "*loaded*", SearchOption.AllDirectories));

        (exitCode, output, error) = await Command.RunAsync(_folder, "advise", folder);
        Assert.True(exitCode == 0, output + error);
    }

    [Fact]
    public async Task Help_describes_what_is_measured()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "transfers", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("upload and to download a file", output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        Assert.Contains("--filter \"Http1/*/65536/*\"", output, StringComparison.Ordinal);
        (exitCode, output, _) = await Command.RunAsync(_folder, "null", "transfers", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("\"transfers\" against itself", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task File_option_is_rejected_with_an_alternative()
    {
        (int exitCode, _, string error) = await Command.RunAsync(
            _folder, "transfers", "--file", "mine", "--data", "data");
        Assert.Equal(1, exitCode);
        Assert.Contains("--data", error, StringComparison.Ordinal);
    }
}

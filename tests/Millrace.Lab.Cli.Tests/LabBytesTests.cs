using Millrace.Cli.Tests;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli.Tests;

/// <summary>Whole runs of `millrace lab bytes` on a small file.</summary>
public sealed class LabBytesTests : IDisposable
{
    private readonly string _folder = Directory.CreateDirectory(
        Path.Combine(AppContext.BaseDirectory, "tmp", Guid.NewGuid().ToString("N"))).FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Bytes_run_reads_a_given_file_from_disk_and_server()
    {
        string file = Path.Combine(_folder, "mine.bin");
        byte[] bytes = new byte[300_001];
        new Random(3).NextBytes(bytes);
        await File.WriteAllBytesAsync(file, bytes);
        (int exitCode, string output, string error) = await Command.RunAsync(
            _folder,
            "bytes", "--file", file, "--data", "data", "--launches", "1",
            "--filter", "*Bytes.AwaitForEach/*", "--filter", "MillraceBytes.Vector/*");
        Assert.True(exitCode == 0, output + error);
        string folder = Path.Combine(_folder, "results", "latest");
        LabResults results = ResultsFile.Read(Path.Combine(folder, "results.json"));
        Assert.Equal("bytes", results.Suite);
        Assert.Equal(["file", "http"], results.Cases.Select(item => item.Parameters.Source).Distinct());
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.NotEmpty(item.Samples!.WallNs);
            Assert.Equal(300_001, item.Parameters.Bytes);
            Assert.NotNull(item.Summary!.AllocatedBytes);
            Assert.Equal(OperatingSystem.IsLinux(), item.Summary.PeakOverIdleBytes is not null);
        });
        Assert.Contains(results.Finding!, output, StringComparison.Ordinal);
        Assert.Contains("MillraceBytes.AwaitForEach", await File.ReadAllTextAsync(Path.Combine(folder, "report.md")), StringComparison.Ordinal);

        (exitCode, output, error) = await Command.RunAsync(_folder, "advise", folder);
        Assert.True(exitCode == 0, output + error);
        (exitCode, output, error) = await Command.RunAsync(_folder, "compare", StoredRunFiles.CommittedBytes, StoredRunFiles.CommittedBytes);
        Assert.True(exitCode == 0, output + error);
    }

    [Fact]
    public async Task Help_describes_what_is_measured()
    {
        (int exitCode, string output, _) = await Command.RunAsync(_folder, "bytes", "--help");
        Assert.Equal(0, exitCode);
        Assert.Contains("iterate over bytes", output, StringComparison.Ordinal);
        Assert.Contains("--full", output, StringComparison.Ordinal);
    }
}

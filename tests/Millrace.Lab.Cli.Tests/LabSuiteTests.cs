namespace Millrace.Lab.Cli.Tests;

public sealed class LabSuiteTests : CommandTest
{
    [Trait("Tier", "All")]
    [Fact]
    public async Task Bytes_run_reads_a_given_file_from_disk_and_server()
    {
        byte[] bytes = Content.Random(300_001, 3);
        (LabResults results, string report) = await MeasureAsync(
            "bytes", "--file", Folder.Write("mine.bin", bytes), "--filter", "*Bytes.AwaitForEach/*", "--filter", "MillraceBytes.Vector/*");
        Assert.Equal(["file", "http"], results.Cases.Select(item => item.Parameters.Source).Distinct());
        Assert.All(results.Cases, item =>
        {
            Assert.NotEmpty(item.Samples!.WallNs);
            Assert.Equal(300_001, item.Parameters.Bytes);
            Assert.NotNull(item.Summary!.AllocatedBytes);
            Assert.Equal(OperatingSystem.IsLinux(), item.Summary.PeakOverIdleBytes is not null);
        });
        Assert.Contains("MillraceBytes.AwaitForEach", report, StringComparison.Ordinal);
    }

    [Trait("Tier", "All")]
    [Fact]
    public async Task Writes_run_leaves_no_files()
    {
        (LabResults results, string report) = await MeasureAsync(
            "writes", "--filter", "FilePipe/4MiB/65536/*", "--filter", "FileStreamSync*/4MiB/65536/*");
        Assert.Equal(["commit", "none"], results.Cases.Select(item => item.Parameters.Durability).Distinct().Order());
        Assert.All(results.Cases, item => Assert.NotNull(item.Summary!.AllocatedBytes ?? (item.Role is null ? null : 0)));
        Assert.Contains("4 MiB, durability commit", report, StringComparison.Ordinal);
        Assert.Contains("| Method | Chunk |", report, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(Folder["data"], "result*", SearchOption.AllDirectories));
        string advice = await PrintAsync("advise", Folder["out"]);
        Assert.Contains(
            "on the device when the commit returns",
            string.Join(' ', advice.Split((char[])[' ', '\r', '\n'], StringSplitOptions.RemoveEmptyEntries)),
            StringComparison.Ordinal);
    }

    [Trait("Tier", "All")]
    [Fact]
    public async Task Transfers_run_uses_two_processes_and_leaves_no_copy()
    {
        (LabResults results, string report) = await MeasureAsync("transfers", "--filter", "Http1/*/65536/*");
        Assert.Equal(["download", "upload"], results.Cases.Select(item => item.Parameters.Direction).Distinct().Order());
        Assert.All(results.Cases, item =>
        {
            Assert.Equal(2, item.Parameters.Processes);
            Assert.NotNull(item.Summary!.ServerCpuNs);
            Assert.NotNull(item.Summary.ServerAllocatedBytes);
            Assert.Equal(OperatingSystem.IsLinux(), item.Summary.ServerPeakResidentBytes is not null);
        });
        Assert.Contains("download, digest none, between two processes", report, StringComparison.Ordinal);
        Assert.Contains("| Server CPU ms | Server allocated |", report, StringComparison.Ordinal);
        Assert.Empty(Directory.EnumerateFiles(Folder["data"], "*loaded*", SearchOption.AllDirectories));
    }

    [Theory]
    [InlineData("bytes", "iterate over bytes", "--filter \"MillraceBytes.*\"")]
    [InlineData("writes", "writing a file, durably or not", "--filter \"FilePipe/*/commit\"")]
    [InlineData("small", "many small files", "--filter \"FilePipe/*/hot/*\"")]
    [InlineData("cache", "left in the page cache", "--filter \"FilePipe*\"")]
    [InlineData("transfers", "uploading and downloading a file", "--filter \"Http1/*/65536/*\"")]
    [InlineData("server", "what serving a file takes", "--filter \"Nginx/128MiB/*\"")]
    [InlineData("stores", "a file to a bucket and back", "--bucket s3://my-bucket/lab --filter \"*/512MiB/*/download\"")]
    [InlineData("sync", "changed files and folders", "--filter \"*/edited/*\"")]
    public async Task Help_describes_what_is_measured(string suite, string description, string example)
    {
        string help = (await PrintAsync(suite, "--help")).ReplaceLineEndings(" ");
        Assert.Contains(description, help, StringComparison.Ordinal);
        Assert.Contains(example, help, StringComparison.Ordinal);
        Assert.Contains($"\"{suite}\" against itself", await PrintAsync("null", suite, "--help"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("writes")]
    [InlineData("small")]
    [InlineData("cache")]
    [InlineData("transfers")]
    [InlineData("server")]
    [InlineData("stores")]
    [InlineData("sync")]
    public async Task File_option_is_rejected_with_an_alternative(string suite) => Assert.Contains(
        "--data", await FailAsync(1, suite, "--file", "mine", "--data", "data"), StringComparison.Ordinal);

    // One launch, whose cases all succeed; its results and report.md.
    private async Task<(LabResults Results, string Report)> MeasureAsync(string suite, params string[] arguments)
    {
        string output = await PrintAsync([suite, "--launches", "1", "--data", "data", "--out", "out", .. arguments]);
        LabResults results = ResultsFile.Read(Path.Combine(Folder["out"], "results.json"));
        Assert.Equal(suite, results.Suite);
        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.Contains(results.Finding ?? "Results: ", output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        return (results, await File.ReadAllTextAsync(Path.Combine(Folder["out"], "report.md")));
    }
}

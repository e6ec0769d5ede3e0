using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Millrace.Lab.Cli.Tests;

public sealed partial class LabFilesTests : CommandTest
{
    private const int Interrupt = 2;
    private const long LargeBytes = 256 * 1024 * 1024;

    [Trait("Tier", "All")]
    [Fact]
    public async Task Run_of_all_suites_writes_results_and_report_of_those_that_the_filters_select()
    {
        string file = MakeFile("mine.bin", 100_001);
        string output = await PrintAsync(
            "all", "--file", file, "--data", "data", "--seed", "5", "--filter", "FilePipe/*/4096/*", "--filter", "FileStreamSync/*/4096/*");
        string folder = Path.Combine(Folder.Path, "results", "latest", "files");
        Assert.Equal(["report.html", "report.md", "results.json"], Directory.GetFiles(folder).Select(Path.GetFileName).Order());
        LabResults results = ResultsFile.Read(Path.Combine(folder, "results.json"));
        Assert.Equal(5, results.Seed);
        Assert.Equal(["FilePipe", "FileStreamSync"], results.Cases.Select(item => item.Method).Order());
        Assert.StartsWith("millrace lab all --file", results.Command, StringComparison.Ordinal);
        Assert.DoesNotContain(results.Engine.RuntimeSettings.Keys, name => name.Contains("SYSTEM_BUFFERS", StringComparison.Ordinal));
        Assert.Equal(3, results.Launches.Count);
        Assert.All(results.Cases, item =>
        {
            Assert.True(item.Summary!.WallNs.N >= 15);
            Assert.Equal([0, 1, 2], item.Samples!.Launch.Distinct());
        });
        if (OperatingSystem.IsLinux())
        {
            // Each in a separate process, which had some 40 MiB before.
            Assert.All(results.Cases, item => Assert.InRange(item.Summary!.PeakOverIdleBytes!.Value, 0, 8 * 1024 * 1024));
            Assert.All(results.Cases, item => Assert.True(item.Summary!.PeakResidentBytes > 20 * 1024 * 1024));
        }

        string report = await File.ReadAllTextAsync(Path.Combine(folder, "report.md"));

        // Marked where it is unknown whether the file was in the page cache.
        Assert.Contains(OperatingSystem.IsLinux() ? "| FilePipe | 4 KiB |" : "| FilePipe (!) | 4 KiB |", report, StringComparison.Ordinal);
        string page = await File.ReadAllTextAsync(Path.Combine(folder, "report.html"));
        Assert.Contains("<script id=\"report-data\"", page, StringComparison.Ordinal);
        Assert.Contains(results.Finding!, output.ReplaceLineEndings(" "), StringComparison.Ordinal);
        Assert.Contains("FileStreamSync", output, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', output);

        // The filters name methods of one suite.
        Assert.Contains("bytes: No case matches", output, StringComparison.Ordinal);
        Assert.False(File.Exists(Path.Combine(Folder.Path, "results", "latest", "bytes", "results.json")));
    }

    [Fact]
    public async Task Filters_without_a_match_are_an_error()
    {
        string error = await FailAsync(1, "all", "--file", MakeFile("mine.bin", 100_001), "--data", "data", "--filter", "Nonsense");
        Assert.Contains("Nonsense", error, StringComparison.Ordinal);
    }

    [Trait("Tier", "All")]
    [Fact]
    public async Task Null_run_reports_its_noise_and_finds_equal_methods_equal()
    {
        string file = MakeFile("mine.bin", 3_000_001);
        string output = await PrintAsync("null", "files", "--file", file, "--data", "data", "--filter", "FilePipe/*/65536/*/hot/*");
        LabResults results = ResultsFile.Read(Path.Combine(Folder.Path, "results", "null", "results.json"));
        Assert.Equal("null", results.Purpose);
        Assert.Equal(["FilePipe", "FilePipeAgain"], results.Cases.Select(item => item.Method));
        Assert.Equal("FilePipe", Assert.Single(results.Noise).Method);
        Assert.Contains("Noise floor", output, StringComparison.Ordinal);
        Assert.Equal("methods judged different from themselves", Assert.Single(results.Targets).Figure);
    }

    [Fact]
    public async Task File_changed_during_the_run_fails_its_cases_and_the_exit_code()
    {
        string file = MakeLargeFile();
        using Process process = Command.Start(
            Folder.Path, "files", "--launches", "1", "--file", file, "--data", "data", "--filter", "FilePipe/*/hot/*");
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Assert.NotNull(await ReadUntilAsync(process, "Measuring hot cases"));
        using (var writer = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            writer.Position = LargeBytes - 1;
            writer.WriteByte(1);
        }

        string rest = await process.StandardError.ReadToEndAsync();
        await TestProcess.WaitAsync(process);
        Assert.True(process.ExitCode == 3, await output + rest);
        LabResults results = ResultsFile.Read(Path.Combine(Folder.Path, "results", "latest", "results.json"));

        // The case that was reading just then may have got the pipe's exception; the others find a wrong sum.
        Assert.All(results.Cases, item => Assert.NotNull(item.Error));
        Assert.InRange(
            results.Cases.Count(item => item.Error!.Contains("with the sum", StringComparison.Ordinal)),
            results.Cases.Count - 1,
            results.Cases.Count);
        Assert.Contains("failed: WrongChecksumException", await output, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Interrupt_ends_the_run_and_keeps_what_was_measured()
    {
        // Windows has no way to send Ctrl-C to one process only.
        using Process process = Command.Start(
            Folder.Path, "files", "--file", MakeLargeFile(), "--data", "data", "--filter", "FileStream*/hot/*");
        Task<string> output = process.StandardOutput.ReadToEndAsync();

        // With the colon: the progress line, so something has been measured.
        Assert.NotNull(await ReadUntilAsync(process, "Launch 1 of 3: measuring hot cases:"));
        Assert.Equal(0, Kill(process.Id, Interrupt));
        string rest = await process.StandardError.ReadToEndAsync();
        await TestProcess.WaitAsync(process);
        Assert.True(process.ExitCode == 130, await output + rest);
        Assert.Contains("Stopped", await output, StringComparison.Ordinal);
        LabResults results = ResultsFile.Read(Path.Combine(Folder.Path, "results", "latest", "results.json"));
        Assert.True(results.Interrupted);
        Assert.NotEmpty(results.Cases);
        Assert.All(results.Cases, item => Assert.NotEmpty(item.Samples!.WallNs));
    }

    [Fact]
    public async Task Second_run_into_a_folder_keeps_the_results_of_the_first_and_says_where()
    {
        string[] arguments = ["files", "--launches", "1", "--file", MakeFile("mine.bin", 100_001), "--data", "data", "--filter", "FilePipe/*/4096/*/hot/*", "--out", "mine"];
        string first = Path.Combine(Folder.Path, "mine", "results.json");
        Assert.DoesNotContain("earlier results", await PrintAsync(arguments), StringComparison.Ordinal);
        byte[] results = await File.ReadAllBytesAsync(first);

        string output = await PrintAsync(arguments);

        string aside = Assert.Single(Directory.GetDirectories(Path.GetDirectoryName(first)!));
        Assert.Contains($"The earlier results in this folder are kept in {aside}", output.ReplaceLineEndings(""), StringComparison.Ordinal);
        Assert.Equal(["report.html", "report.md", "results.json"], Directory.GetFiles(aside).Select(Path.GetFileName).Order());
        Assert.Equal(results, await File.ReadAllBytesAsync(Path.Combine(aside, "results.json")));
        Assert.NotEqual(results, await File.ReadAllBytesAsync(first));
    }

    [NeedsFact(Need.Unix)]
    public async Task Interrupt_of_the_warm_up_writes_nothing_and_says_so()
    {
        string earlier = Folder.Write("mine/results.json", "earlier"u8.ToArray());
        using Process process = Command.Start(
            Folder.Path, "files", "--file", MakeLargeFile(), "--data", "data", "--filter", "FileStream*/hot/*", "--out", "mine");
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        Assert.NotNull(await ReadUntilAsync(process, "Launch 1 of 3: warming up"));
        Assert.Equal(0, Kill(process.Id, Interrupt));
        string rest = await process.StandardError.ReadToEndAsync();
        await TestProcess.WaitAsync(process);

        Assert.True(process.ExitCode == 130, await output + rest);
        Assert.Contains("Stopped before anything was measured. Nothing was written.", await output, StringComparison.Ordinal);
        Assert.Equal("earlier", await File.ReadAllTextAsync(earlier));
        Assert.Equal([earlier], Directory.GetFileSystemEntries(Path.GetDirectoryName(earlier)!));
    }

    [LibraryImport("libc", EntryPoint = "kill", SetLastError = true)]
    private static partial int Kill(int process, int signal);

    private static async Task<string?> ReadUntilAsync(Process process, string start)
    {
        while (await process.StandardError.ReadLineAsync() is { } line)
        {
            if (line.StartsWith(start, StringComparison.Ordinal))
            {
                return line;
            }
        }

        return null;
    }

    private string MakeFile(string name, int bytes)
    {
        return Folder.Write(name, Content.Random(bytes, 3));
    }

    // So large that its rounds are still going on when the test acts; without blocks on the disk.
    private string MakeLargeFile()
    {
        string path = Folder["large.bin"];
        using FileStream stream = File.Create(path);
        stream.SetLength(LargeBytes);
        return path;
    }
}

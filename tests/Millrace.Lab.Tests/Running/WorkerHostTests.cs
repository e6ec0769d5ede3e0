namespace Millrace.Lab.Tests.Running;

public sealed class WorkerHostTests : FolderTests
{
    private readonly TestFile _file;

    public WorkerHostTests()
    {
        string path = Folder["mine.bin"];
        File.WriteAllBytes(path, new byte[100_000]);
        _file = new TestFile(path, 100_000, Checksum: 0, Generated: false);
    }

    [Fact]
    public void Launch_measures_in_a_separate_process_and_reports_progress()
    {
        var progress = new RecordedProgress();
        LaunchResult result = ChildProgram.Workers.Launch(Launch("FilePipe/*/65536/*/hot/*"), progress, default);
        CaseResult item = Assert.Single(result.Cases).Value;
        Assert.Null(item.Error);
        Assert.All(item.Samples!.Launch, launch => Assert.Equal(1, launch));
        Assert.True(item.Samples.WallNs.Count >= 5);
        Assert.Contains("measuring hot cases", progress.Phases);
        Assert.False(result.Cut);
    }

    [Fact]
    public void Stopped_process_returns_its_results_so_far()
    {
        using var stop = new CancellationTokenSource();
        var progress = new RecordedProgress
        {
            OnPhase = phase =>
            {
                if (phase == "checking hot cases")
                {
                    stop.Cancel();
                }
            },
        };
        LaunchResult result = ChildProgram.Workers.Launch(Launch("FilePipe/*/hot/*"), progress, stop.Token);
        Assert.True(result.Cut);
        Assert.Contains("Ctrl-C", Assert.Single(result.Absent).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Worker_problem_is_an_error_with_its_message()
    {
        LabException exception = Assert.Throws<LabException>(() =>
            ChildProgram.Workers.Launch(Launch("Nonsense"), new RecordedProgress(), default));
        Assert.Contains("Nonsense", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Crashed_process_fails_the_launch_with_its_last_output()
    {
        LaunchFailedException exception = Assert.Throws<LaunchFailedException>(() =>
            ChildProgram.Host("die").Launch(Launch("FilePipe"), new RecordedProgress(), default));
        Assert.Contains("the last words", exception.Message, StringComparison.Ordinal);
        if (OperatingSystem.IsLinux())
        {
            Assert.Contains("signal 9", exception.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Invalid_message_fails_the_launch() => Assert.Throws<LaunchFailedException>(() =>
        ChildProgram.Host("babble").Launch(Launch("FilePipe"), new RecordedProgress(), default));

    [Fact]
    public void Run_fails_if_every_launch_crashes()
    {
        LabException exception = Assert.Throws<LabException>(() => SuiteRun.Run(
            new FilesSuite(), Options("FilePipe/*/65536/*/hot/*"), ChildProgram.Host("die"), new RecordedProgress(), default));
        Assert.Contains("the last words", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Run_continues_with_a_warning_if_one_launch_crashes()
    {
        var host = new SecondDies(ChildProgram.Workers, ChildProgram.Host("die"));
        LabResults results = SuiteRun.Run(
            new FilesSuite(), Options("FilePipe/*/65536/*/hot/*"), host, new RecordedProgress(), default);
        Assert.Equal([0, 2], results.Launches.Select(launch => launch.Index));
        string warning = Assert.Single(results.Warnings, text => !text.StartsWith("This is a Debug build", StringComparison.Ordinal));
        Assert.Contains("Launch 2 of 3 is missing", warning, StringComparison.Ordinal);
        Assert.Equal([0, 2], Assert.Single(results.Cases).Samples!.Launch.Distinct());
    }

    [Fact]
    public void Memory_of_a_case_is_that_of_a_process_that_runs_only_the_case()
    {
        MemoryResult pipe = Memory("FilePipe");
        MemoryResult mapped = Memory("MemoryMapped");
        if (!OperatingSystem.IsLinux())
        {
            Assert.Contains("Linux", pipe.Reason, StringComparison.Ordinal);
            return;
        }

        Assert.Null(pipe.Reason);
        Assert.InRange(pipe.PeakOverIdleBytes, 1, 8 * ByteSize.MiB);

        // Touched pages of a mapping count, and all of the file's are touched.
        Assert.InRange(mapped.PeakOverIdleBytes, _file.Bytes / 2, 8 * ByteSize.MiB);
        Assert.True(pipe.PeakResidentBytes > pipe.PeakOverIdleBytes + (10 * ByteSize.MiB));
    }

    private MemoryResult Memory(string method) => ChildProgram.Workers.MeasureMemory(
        new MemoryRequest("files", Options($"{method}/*/65536/*/hot/*"), [_file], Plan: 0));

    private LaunchRequest Launch(string filter) => new()
    {
        Suite = "files",
        Options = Options(filter),
        Inputs = [_file],
        Index = 1,
        Count = 3,
        Seed = 1,
        Laboratory = Environment.ProcessId,
    };

    private LabOptions Options(string filter) =>
        new() { FilePath = _file.Path, DataFolder = Folder.Path, Filters = [filter], Launches = 3, Seed = 1 };

    private sealed class SecondDies(ILaunchHost good, ILaunchHost bad) : ILaunchHost
    {
        public LaunchResult Launch(LaunchRequest request, ILabProgress progress, CancellationToken stop) =>
            (request.Index == 1 ? bad : good).Launch(request, progress, stop);

        public MemoryResult MeasureMemory(MemoryRequest request) => good.MeasureMemory(request);

        public IServedFiles Serve(ServeRequest request) => good.Serve(request);
    }
}

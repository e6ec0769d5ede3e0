namespace Millrace.Lab.Tests.Files;

public sealed class FilesSuiteTests : FolderTests
{
    private const string HotPhase = "Measuring hot cases";
    private const int WarmUpBytes = 64 * 1024;

    private static readonly RunLimits Three = new() { MinRounds = 3, MaxRounds = 3, Time = TimeSpan.Zero };
    private static readonly SuiteLimits FewRounds = new()
    {
        WarmUpPhases = 1,
        Groups = [Three with { Group = CacheNames.Hot }, Three with { Group = CacheNames.Cold }],
    };

    private readonly string _mine;

    public FilesSuiteTests()
    {
        _mine = Folder["mine.bin"];
        byte[] bytes = Content.Random(200_001, 7);
        File.WriteAllBytes(_mine, bytes);
    }

    [Fact]
    public void Run_measures_every_selected_case_and_relates_it_to_the_baseline()
    {
        LabResults results = Run(new RecordedProgress(), default, "FilePipe", "FileStreamSync*");
        Assert.False(results.Interrupted);
        Assert.Equal(42, results.Seed);
        CaseResult[] hot = [.. results.Cases.Where(item => item.Parameters.Cache == "hot")];
        Assert.Equal(FilesSuite.Buffers.Length * 3, hot.Length);
        Assert.All(hot, item =>
        {
            Assert.Null(item.Error);
            Assert.Equal(200_001, item.Parameters.Bytes);
            Assert.Equal(_mine, item.Parameters.File);
            Assert.Equal([0, 1, 2], item.Samples!.Round.Distinct());
            Assert.Equal(item.Samples.WallNs.Count, item.Summary!.WallNs.N);
            Assert.Equal(item.Role is null, item.Summary.AllocatedBytes > 0);
            Assert.NotNull(item.Summary.Ratio);
            Assert.Equal(item.Summary.AllocatedObjects is null, item.Unavailable!.ContainsKey("allocatedObjects"));
        });
        Assert.All(hot.Where(item => item.Baseline), item => Assert.Equal(1, item.Summary!.Ratio));
        Assert.Equal(FilesSuite.Buffers.Length, results.Noise.Count(noise => noise.Parameters.Cache == "hot"));
        Assert.StartsWith("Reading 195.31 KiB with buffers of 4 KiB, FilePipe ", results.Finding, StringComparison.Ordinal);
        Assert.Empty(results.Targets);
        CaseResult[] cold = [.. results.Cases.Where(item => item.Parameters.Cache == "cold")];
        Assert.Equal(OperatingSystem.IsLinux() ? FilesSuite.ColdBuffers.Length * 3 : 0, cold.Length);
        Assert.All(cold, item =>
        {
            Assert.True(item.Verified, item.UnverifiedReason);
            Assert.Equal(item.Samples!.WallNs.Count, item.Samples.CallingThreadNs!.Count);
            Assert.InRange(item.Summary!.CallingThreadShare!.Value, 0, 1);
            Assert.Equal("disk", item.Summary.BytesFrom);
        });
        if (OperatingSystem.IsLinux())
        {
            Assert.All(hot, item => Assert.Equal("page cache", item.Summary!.BytesFrom));
            Assert.All(hot.Where(item => item.Baseline), item => Assert.Equal(200_001, item.Summary!.LogicalReadBytes));
        }
    }

    [Fact]
    public void Wrong_bytes_fail_their_cases_and_the_run_continues()
    {
        var progress = new RecordedProgress
        {
            OnPhase = phase =>
            {
                if (phase == HotPhase)
                {
                    // The same length, other bytes.
                    File.WriteAllBytes(_mine, new byte[200_001]);
                }
            },
        };
        LabResults results = Run(progress, default, "FilePipe/*/hot/*", "MemoryMapped/*/hot/*");
        Assert.Equal(FilesSuite.Buffers.Length + FilesSuite.SampledBuffers.Length, results.Cases.Count);
        Assert.All(results.Cases, item =>
        {
            Assert.Contains("with the sum", item.Error, StringComparison.Ordinal);
            Assert.False(item.Verified);
            Assert.Null(item.Summary);
            Assert.Null(item.Samples);
        });
        Assert.Equal(results.Cases.Count, progress.Notes.Count(note => note.Contains("failed", StringComparison.Ordinal)));
    }

    [Fact]
    public void Stopped_run_keeps_its_results_and_lists_missing_cases()
    {
        using var stop = new CancellationTokenSource();
        int visits = 0;
        bool measuring = false;
        var progress = new RecordedProgress
        {
            OnPhase = phase => measuring = phase == HotPhase,
            OnReport = _ =>
            {
                if (measuring && ++visits == 4)
                {
                    stop.Cancel();
                }
            },
        };
        LabResults results = Run(progress, stop.Token, "FilePipe*/hot/*", "FileStreamSync/*/hot/*");
        Assert.True(results.Interrupted);
        Assert.Equal(3, results.Cases.Count);
        Assert.All(results.Cases, item => Assert.NotEmpty(item.Samples!.WallNs));
        Assert.Contains("Ctrl-C", Assert.Single(results.Absent).Reason, StringComparison.Ordinal);
    }

    [Fact]
    public void Filter_that_selects_nothing_is_an_error_that_shows_a_name()
    {
        NoCaseException exception = Assert.Throws<NoCaseException>(() => Run(new RecordedProgress(), default, "Nonsense"));
        Assert.Contains("Nonsense", exception.Message, StringComparison.Ordinal);
        Assert.Contains("FileStreamSync/", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Two_runs_do_not_share_a_folder()
    {
        using DataFolderLock first = DataFolderLock.Take(Folder.Path);
        LabException exception = Assert.Throws<LabException>(() => DataFolderLock.Take(Folder.Path));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_launch_measures_every_case_and_their_samples_are_joined()
    {
        var progress = new RecordedProgress();
        LabResults results = Launches(3, progress, ["FilePipe/*/65536/*/hot/*", "FileStreamSync*/65536/*/hot/*"], default);
        Assert.Equal([0, 1, 2], results.Launches.Select(launch => launch.Index));
        Assert.Equal([42, 43, 44], results.Launches.Select(launch => launch.Seed));
        Assert.All(results.Launches, launch => Assert.Equal(3, launch.HotRounds));
        Assert.Equal(3, results.Cases.Count);
        Assert.All(results.Cases, item =>
        {
            CaseSamples samples = item.Samples!;
            Assert.Equal([0, 1, 2], samples.Launch.Distinct());
            Assert.Equal(samples.Launch.Order(), samples.Launch);
            Assert.Equal(9, samples.Launch.Zip(samples.Round).Distinct().Count());
            Assert.Equal(samples.WallNs.Count, samples.MinorFaults?.Count ?? samples.WallNs.Count);
            Assert.Equal(item.Role is null, samples.Passes?.AllocatedBytes is { Count: >= 3 });
            Assert.Contains("peakResidentBytes", item.Unavailable!);
        });
        Assert.Contains("Launch 3 of 3: measuring hot cases", progress.Phases);
    }

    [Fact]
    public void Run_against_itself_measures_every_method_twice_and_states_its_noise()
    {
        var suite = new FilesSuite(FewRounds, WarmUpBytes);
        LabResults results = SuiteRun.Run(
            suite,
            Options("FilePipe/*/65536/*/hot/*", "MemoryMapped/*/65536/*/hot/*") with { AgainstItself = true },
            new InProcessHost(suite),
            new RecordedProgress(),
            default);
        Assert.Equal("null", results.Purpose);
        Assert.Equal(
            ["MemoryMapped", "MemoryMappedAgain", "FilePipe", "FilePipeAgain"], results.Cases.Select(item => item.Method));
        Assert.Equal(["MemoryMapped", "FilePipe"], results.Noise.Select(noise => noise.Method));
        Assert.Equal([null, "noise", null, "noise"], results.Cases.Select(item => item.Role));
    }

    private LabOptions Options(params string[] filters) => new()
    {
        FilePath = _mine,
        DataFolder = Folder.Path,
        Filters = filters,
        Seed = 42,
        Command = "test",
        Launches = 1,
    };

    private LabResults Run(RecordedProgress progress, CancellationToken stop, params string[] filters) =>
        Launches(1, progress, filters, stop);

    private LabResults Launches(
        int launches, RecordedProgress progress, string[] filters, CancellationToken stop)
    {
        var suite = new FilesSuite(FewRounds, WarmUpBytes);
        return SuiteRun.Run(
            suite, Options(filters) with { Launches = launches }, new InProcessHost(suite), progress, stop);
    }
}

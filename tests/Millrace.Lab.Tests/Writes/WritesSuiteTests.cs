using Millrace.Lab.Running;
using Millrace.Lab.Suites;
using Millrace.Lab.Suites.Writes;

namespace Millrace.Lab.Tests.Writes;

/// <summary>The whole suite on a small file, with few rounds.</summary>
public sealed class WritesSuiteTests : IDisposable
{
    private const long Length = 1 << 20;

    private static readonly RunLimits ThreeRounds =
        new() { MinRounds = 3, MaxRounds = 3, Time = TimeSpan.Zero, MaxPerVisit = 1 };

    private static readonly SuiteLimits FewRounds = new() { Groups = WritesSuite.Both(ThreeRounds), Launches = 1, WarmUpPhases = 1 };

    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Run_measures_writing_and_relates_all_to_the_baseline_of_the_same_parameters()
    {
        LabResults results = Run("FileStreamSync*", "FileStreamDefaultBuffer", "FilePipe/*/512/*", "FilePipe/*/65536/*", "FilePipe/4KiB/*");
        Assert.All(results.Cases, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            Assert.Equal([0, 1, 2], item.Samples!.Round.Distinct());
            Assert.NotNull(item.Summary!.Ratio);
            Assert.NotNull(item.Parameters.Chunk);
            Assert.Null(item.Summary.BytesFrom);
            Assert.Equal(item.Role is null, item.Summary.AllocatedBytes is not null);
        });
        Assert.Equal(["commit", "none"], results.Cases.Select(item => item.Parameters.Durability).Distinct().Order());
        Assert.Equal([4096, Length / 32, Length], results.Cases.Select(item => item.Parameters.Bytes!.Value).Distinct().Order());
        Assert.Equal(11, results.Noise.Count);
        Assert.Equal(10, results.Bars.Count);
        Assert.Equal([true, true, true, true, true, true, true, false, false, false], results.Bars.Select(bar => bar.Met is not null));
        Assert.StartsWith("FilePipe wrote 1 MiB in", results.Finding, StringComparison.Ordinal);
        Assert.Contains("; it committed durably 1 MiB", results.Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void Result_folder_is_empty_after_a_run()
    {
        Run("FileStreamSync/*/65536/*", "FileCopy*");
        Assert.Empty(Directory.EnumerateFileSystemEntries(ResultFolder.In(_folder.Path)));
    }

    [Fact]
    public void Copies_are_measured()
    {
        LabResults results = Run("FileCopy*", "Cp");
        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.All(results.Cases, item => Assert.Equal("hot", item.Parameters.Cache));
        Assert.Equal("FileCopy", results.Cases.Single(item => item.Baseline).Method);
    }

    [Fact]
    public void Parts_and_writers_are_compared_with_one()
    {
        LabResults results = Run("FilePipe*/1 parts", "FilePipeScan/integers/*", "FilePipeAppend*/1 writers", "FilePipeAppend/*/64 writers");
        Assert.All(results.Cases, item => Assert.Null(item.Error));
        Assert.All(results.Cases, item => Assert.NotNull(item.Summary!.Ratio));
        Assert.Equal(
            ["1 parts", "1 parts", "1 writers"],
            results.Cases.Where(item => item.Baseline).Select(item => item.Parameters.Describe().Split('/')[^1]).Order());
    }

    [Fact]
    public void Unavailable_strategy_is_absent_with_its_reason()
    {
        LabResults results = Run("FileStreamSync*/4KiB/*", "FilePipeDirect/4KiB/*");
        if (results.Cases.Any(item => item.Method == "FilePipeDirect"))
        {
            Assert.Equal("Direct", results.Cases.Single(item => item.Method == "FilePipeDirect").Strategy);
        }
        else
        {
            AbsentCases absent = Assert.Single(results.Absent);
            Assert.Equal("cases of FilePipeDirect", absent.What);
            Assert.Contains("when Direct is asked for", absent.Reason, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new WritesSuite().TakeInputs(new LabOptions { FilePath = "mine", DataFolder = _folder.Path }));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        var suite = new WritesSuite(FewRounds, 8 << 20);
        var host = new WorkerHost(new WorkerCommand("dotnet", [ChildProgram.Path, LabWorker.Argument]));
        LabOptions options = Options("WriteAllBytes/8MiB/*", "FilePipe/8MiB/65536/none");
        using SuiteInputs inputs = suite.TakeInputs(options);
        IReadOnlyList<PlannedCase> plan = inputs.Plan;
        Assert.Equal(2, plan.Count);
        foreach (PlannedCase entry in plan)
        {
            MemoryResult memory = host.MeasureMemory(new MemoryRequest("writes", options, inputs.Files, entry.Plan));
            if (!OperatingSystem.IsLinux())
            {
                Assert.NotNull(memory.Reason);
                continue;
            }

            Assert.Null(memory.Reason);
            Assert.Equal(entry.Method == "WriteAllBytes", memory.PeakOverIdleBytes >= 8 << 20);
        }

        Assert.Empty(Directory.EnumerateFileSystemEntries(ResultFolder.In(_folder.Path)));
    }

    private LabOptions Options(params string[] filters) => new()
    {
        DataFolder = _folder.Path,
        Filters = filters,
        Seed = 42,
        Command = "test",
        Launches = 1,
    };

    private LabResults Run(params string[] filters)
    {
        var suite = new WritesSuite(FewRounds, Length);
        return SuiteRun.Run(suite, Options(filters), new InProcessHost(suite), new RecordedProgress(), default);
    }
}

namespace Millrace.Lab.Tests.Writes;

[Trait("Tier", "All")]
public sealed class WritesSuiteTests(WritesSuiteTests.Measured measured) : IClassFixture<WritesSuiteTests.Measured>
{
    private const long Length = 1 << 20;

    private static readonly RunLimits ThreeRounds =
        new() { MinRounds = 3, MaxRounds = 3, Time = TimeSpan.Zero, MaxPerVisit = 1 };

    private static readonly SuiteLimits FewRounds = new() { Groups = WritesSuite.Both(ThreeRounds), Launches = 1, WarmUpPhases = 1 };

    private readonly LabResults _results = measured.Results;

    private CaseResult[] Written =>
        [.. _results.Cases.Where(item => item.Parameters.Chunk is not null && item.Method != "FilePipeDirect")];

    [Fact]
    public void Run_measures_writing_and_relates_all_to_the_baseline_of_the_same_parameters()
    {
        Assert.All(Written, item =>
        {
            Assert.Null(item.Error);
            Assert.True(item.Verified);
            Assert.Equal([0, 1, 2], item.Samples!.Round.Distinct());
            Assert.NotNull(item.Summary!.Ratio);
            Assert.Null(item.Summary.BytesFrom);
            Assert.Equal(item.Role is null, item.Summary.AllocatedBytes is not null);
        });
        Assert.Equal(["commit", "none"], Written.Select(item => item.Parameters.Durability).Distinct().Order());
        Assert.Equal([4096, Length / 32, Length], Written.Select(item => item.Parameters.Bytes!.Value).Distinct().Order());
        Assert.Equal(11, _results.Noise.Count(noise => noise.Parameters.Chunk is not null));
        Assert.Equal(
            ["FilePipeCopy / FileCopy, hot, not durable", "FilePipeScan in 2 parts / RawReadTwo, two threads that only read and sum or count"],
            _results.Targets.Where(target => target.Met is null).Select(target => target.Figure));
        Assert.Equal(11, _results.Targets.Count);
        Assert.StartsWith("Writing 1 MiB in chunks of 64 KiB, FilePipe ", _results.Finding, StringComparison.Ordinal);
        Assert.Contains("; writing durably 1 MiB in chunks of 64 KiB, FilePipe ", _results.Finding, StringComparison.Ordinal);
    }

    [Fact]
    public void Result_folder_is_empty_after_a_run() =>
        Assert.Empty(Directory.EnumerateFileSystemEntries(ResultFolder.In(measured.Folder.Path)));

    [Fact]
    public void Copies_are_measured()
    {
        CaseResult[] copies = [.. _results.Cases.Where(item => item.Method is "FileCopy" or "FileCopyAgain" or "Cp")];
        Assert.Equal(FileCopying.HasCp ? 3 : 2, copies.Length);
        Assert.All(copies, item => Assert.Null(item.Error));
        Assert.All(copies, item => Assert.Equal("hot", item.Parameters.Cache));
        Assert.Equal("FileCopy", copies.Single(item => item.Baseline).Method);
    }

    [Fact]
    public void Parts_and_writers_are_compared_with_one()
    {
        CaseResult[] cases = [.. _results.Cases.Where(item => item.Parameters.Degree is not null || item.Parameters.Writers is not null)];
        Assert.All(cases, item => Assert.Null(item.Error));
        Assert.All(cases, item => Assert.NotNull(item.Summary!.Ratio));
        Assert.Equal(
            ["1 parts", "1 parts", "1 writers"],
            cases.Where(item => item.Baseline).Select(item => item.Parameters.Describe().Split('/')[^1]).Order());
    }

    [Fact]
    public void Unavailable_strategy_is_absent_with_its_reason()
    {
        if (_results.Cases.FirstOrDefault(item => item.Method == "FilePipeDirect") is { } direct)
        {
            Assert.Equal("Direct", direct.Strategy);
        }
        else
        {
            AbsentCases absent = Assert.Single(_results.Absent, static item => item.What == "cases of FilePipeDirect");
            Assert.Contains("when Direct is asked for", absent.Reason, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void User_file_is_rejected_with_a_remedy()
    {
        LabException exception = Assert.ThrowsAny<LabException>(
            () => new WritesSuite().TakeInputs(new LabOptions { FilePath = "mine", DataFolder = measured.Folder.Path }));
        Assert.Contains("--data", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Memory_of_a_case_is_measured_in_a_separate_process()
    {
        var suite = new WritesSuite(FewRounds, 8 << 20);
        LabOptions options = measured.Options("WriteAllBytes/8MiB/*", "FilePipe/8MiB/65536/none");
        using SuiteInputs inputs = suite.TakeInputs(options);
        Assert.Equal(2, inputs.Plan.Count);
        foreach (PlannedCase entry in inputs.Plan)
        {
            MemoryResult memory = ChildProgram.Workers.MeasureMemory(new MemoryRequest("writes", options, inputs.Files, entry.Plan));
            if (!OperatingSystem.IsLinux())
            {
                Assert.NotNull(memory.Reason);
                continue;
            }

            Assert.Null(memory.Reason);
            Assert.Equal(entry.Method == "WriteAllBytes", memory.PeakOverIdleBytes >= 8 << 20);
        }

        Assert.Empty(Directory.EnumerateFileSystemEntries(ResultFolder.In(measured.Folder.Path)));
    }

    public sealed class Measured() : MeasuredSuite(
        new WritesSuite(FewRounds, Length),
        "FileStreamSync*", "FileStreamDefaultBuffer", "FilePipe/*/512/*", "FilePipe/*/65536/*", "FilePipe/4KiB/*",
        "FilePipeDirect/4KiB/*", "FileCopy*", "Cp", "FilePipe*/1 parts", "FilePipeScan/integers/*",
        "FilePipeAppend*/1 writers", "FilePipeAppend/*/64 writers");
}

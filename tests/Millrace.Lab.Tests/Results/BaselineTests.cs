using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Results;

public sealed class BaselineTests
{
    [Fact]
    public void Parts_and_writers_are_held_against_the_baseline_of_one()
    {
        LabResults results = Build(
            WriteRuns.Append(1, 800), WriteRuns.Append(8, 100), WriteRuns.Append(64, 20), WriteRuns.Scan(1, 10), WriteRuns.Scan(2, 6));
        Assert.Equal(
            [1, 0.125, 0.025, 1, 0.6], results.Cases.Select(item => Math.Round(item.Summary!.MedianRatio!.Value, 6)));
        Assert.All(
            InRunVerdicts.Add(results).Cases.Where(item => !item.Baseline), item => Assert.Contains(item.Verdicts!, verdict =>
                verdict.Metric == "wallNs" && verdict.Against == (item.Parameters.Degree is null ? "FilePipeAppend" : "FilePipe")));
    }

    [Fact]
    public void Each_chunk_and_durability_has_a_baseline()
    {
        LabResults results = Build(
            WriteRuns.Write("FileStreamSync", 512, 100),
            WriteRuns.Write("FileStreamSync", 4096, 50),
            WriteRuns.Write("FilePipe", 4096, 25),
            WriteRuns.Write("FilePipe", 4096, 25, "commit"));
        Assert.Equal([null, 1, 1, 0.5], results.Cases.Select(item => item.Summary!.MedianRatio));
    }

    [Fact]
    public void Records_per_second_are_of_cases_that_have_records()
    {
        LabResults results = Build(WriteRuns.Append(8, 1024), WriteRuns.Copy("FileCopy", 10));
        Assert.Equal([2000.0, null], results.Cases.Select(item => item.Summary!.RecordsPerSecond));
    }

    private static LabResults Build(params CaseResult[] cases)
    {
        LabResults run = WriteRuns.Of(cases);
        return ResultsBuilder.Build(
            run, run.Cases.Select(item => item with { Summary = null }), ["FileStreamSync", "FilePipe", "FilePipeScan", "FilePipeAppend"]);
    }
}

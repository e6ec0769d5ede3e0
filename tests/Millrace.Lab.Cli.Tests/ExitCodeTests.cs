namespace Millrace.Lab.Cli.Tests;

public sealed class ExitCodeTests
{
    [Theory]
    [InlineData(true, false, 0)]
    [InlineData(true, true, 0)]
    [InlineData(null, true, 0)]
    [InlineData(false, false, 0)]
    [InlineData(false, true, 2)]
    public void Missed_aim_counts_only_when_asked_for(bool? met, bool failUnder, int expected) =>
        Assert.Equal(expected, ExitCode.Of(Run(met, error: null), failUnder));

    [Fact]
    public void Failed_case_outranks_a_missed_aim()
    {
        Assert.Equal(3, ExitCode.Of(Run(met: false, error: "why"), failUnder: true));
        Assert.Equal(3, ExitCode.Of(Run(met: true, error: "why"), failUnder: false));
    }

    private static LabResults Run(bool? met, string? error)
    {
        LabResults committed = ResultsFile.Read(ResultsFile.In(StoredRunFiles.CommittedFiles)!);
        return committed with
        {
            Targets = [new TargetResult { Figure = "a", Limit = "b", Measured = "c", Met = met }],
            Cases = [committed.Cases[0] with { Error = error }],
        };
    }
}

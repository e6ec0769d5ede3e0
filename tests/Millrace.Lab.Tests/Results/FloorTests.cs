using Millrace.Lab.Advising;
using Millrace.Lab.Reporting;
using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Results;

public sealed class FloorTests
{
    [Fact]
    public void Every_case_is_related_to_the_fastest_raw_row_of_the_same_file_and_state()
    {
        IReadOnlyList<CaseResult> cases = Floor.AddRatios(
        [
            Fixture.Case("FilePipe", 4096, 12),
            Fixture.Case("RawRead", 65536, 12),
            Fixture.Case("RawRead", 1048576, 8),
            Fixture.Case("RawSum", 1048576, 2),
            Fixture.Case("FilePipe", 4096, 1, FilesSuite.SmallSize),
            Fixture.Case("FilePipe", 4096, 90, cache: "cold"),
            From(Fixture.Case("FilePipe", 4096, 16)),
        ]);
        Assert.Equal([1.5, 1.5, 1, 0.25, null, null, 2], cases.Select(item => item.Summary!.FloorRatio));

        static CaseResult From(CaseResult item) => item with { Parameters = item.Parameters with { Offset = 5 } };
    }

    [Fact]
    public void Digest_and_compression_are_part_of_the_distance_but_not_durability()
    {
        IReadOnlyList<CaseResult> moved = Floor.AddRatios(
        [
            TransferRuns.Move("RawSockets", "download", 262144, 10),
            TransferRuns.Move("Http1Sha256", "download", 65536, 20),
            TransferRuns.Move("GrpcDirect", "download", 65536, 40, compression: "gzip"),
            TransferRuns.Move("GrpcDirect", "upload", 65536, 40),
            TransferRuns.Move("GrpcDirect", "download", 65536, 40, durability: "commit"),
        ]);
        Assert.Equal([1, 2, 4, null, null], moved.Select(item => item.Summary!.FloorRatio));
    }

    [Fact]
    public void Advice_and_findings_leave_raw_rows_out()
    {
        LabResults results = Runs.Of(Runs.Case("FileStreamSync", 65536, 20), Runs.Case("FilePipe", 65536, 10), Runs.Case("RawRead", 65536, 1));
        Assert.DoesNotContain(Advisor.Advise(results), item => item.Statement.Contains("Raw", StringComparison.Ordinal)
            || item.Evidence.Any(evidence => evidence.Case?.Contains("Raw", StringComparison.Ordinal) == true));
    }

    [Fact]
    public void Distance_is_a_column_of_the_report_and_a_field_of_the_page()
    {
        LabResults results = Fixture.Run([.. Floor.AddRatios([Fixture.Case("FilePipe", 4096, 12), Fixture.Case("RawRead", 65536, 8)])]);
        Assert.Contains("| × floor |", MarkdownReport.Write(results), StringComparison.Ordinal);
        Assert.Contains("| 1.50 |", MarkdownReport.Write(results), StringComparison.Ordinal);
        Assert.DoesNotContain("× floor", MarkdownReport.Write(Fixture.Run(Fixture.Case("FilePipe", 4096, 12))), StringComparison.Ordinal);
    }
}

namespace Millrace.Lab.Tests.Bytes;

/// <summary>When an aim is met, missed, or neither.</summary>
public sealed class BytesBarsTests
{
    [Theory]
    [InlineData(0.12, true)]
    [InlineData(0.121, false)]
    public void Sequence_is_compared_with_the_plain_one_of_the_same_source(double ratio, bool met)
    {
        LabResults results = Results(
            Case("AsyncBytes.AwaitForEach", "http", 1000),
            Case("MillraceBytes.AwaitForEach", "http", 1000 * ratio),
            Case("MillraceBytes.AwaitForEach", "file", 500));
        Assert.Equal(
            [null, met],
            BytesBars.Check(results).Where(bar => bar.Figure.Contains("AsyncBytes", StringComparison.Ordinal)).Select(bar => bar.Met));
    }

    [Fact]
    public void Other_increments_and_more_readers_do_not_count_for_bars()
    {
        CaseResult item = Case("Increments.Span", "file", 100);
        LabResults results = Results(
            item,
            Case("MillraceBytes.Vector", "file", 10) with { Parameters = item.Parameters with { Buffer = 4096 } },
            Case("MillraceBytes.Vector", "file", 10) with { Parameters = item.Parameters with { Readers = 2 } });
        Assert.All(BytesBars.Check(results), bar => Assert.Null(bar.Met));
    }

    [Fact]
    public void Memory_and_allocations_of_segments_have_their_limits()
    {
        CaseResult item = Case("MillraceBytes.Vector", "file", 10);
        Assert.Equal([true, true], Met(item, 2 * 1024 * 1024, 2048));
        Assert.Equal([false, false], Met(item, (2 * 1024 * 1024) + 1, 2049));
        Assert.Equal([null, null], Met(item, null, null));
    }

    [Fact]
    public void User_file_has_no_bars()
    {
        CaseResult item = Case("Increments.Span", "file", 100);
        Assert.Empty(BytesBars.Check(Results(item with { Parameters = item.Parameters with { File = "/mine" } })));
    }

    private static IEnumerable<bool?> Met(CaseResult item, double? peak, double? allocated) => BytesBars
        .Check(Results(item with { Summary = item.Summary! with { PeakOverIdleBytes = peak, AllocatedBytes = allocated } }))
        .Where(bar => bar.Figure.StartsWith("MillraceBytes.Vector, file:", StringComparison.Ordinal))
        .Select(bar => bar.Met);

    private static LabResults Results(params CaseResult[] cases) => Fixture.Run(cases) with { Suite = "bytes" };

    private static CaseResult Case(string method, string source, double medianNs)
    {
        CaseResult model = Fixture.Case(method, buffer: 65536, medianMs: 1);
        return model with
        {
            Method = method,
            Role = null,
            Error = null,
            Parameters = new CaseParameters
            {
                Buffer = 65536,
                Bytes = BytesSuite.Length,
                Source = source,
                Content = "random",
                Readers = 1,
                Cache = "hot",
            },
            Summary = model.Summary! with { WallNs = model.Summary.WallNs with { Median = medianNs } },
        };
    }
}

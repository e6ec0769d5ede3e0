using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Bytes;

public sealed class BytesTargetsTests
{
    [Theory]
    [InlineData(0.12, true)]
    [InlineData(0.121, false)]
    public void Sequence_is_compared_with_the_plain_one_of_the_same_source(double ratio, bool met)
    {
        LabResults results = ByteRuns.Of(
            ByteRuns.Case("AsyncBytes.AwaitForEach", 1000, "http"),
            ByteRuns.Case("MillraceBytes.AwaitForEach", 1000 * ratio, "http"),
            ByteRuns.Case("MillraceBytes.AwaitForEach", 500));
        Assert.Equal(
            [null, met],
            BytesTargets.Check(results).Where(target => target.Figure.Contains("AsyncBytes", StringComparison.Ordinal)).Select(target => target.Met));
    }

    [Theory]
    [InlineData(0.4, 0.35, true)]
    [InlineData(0.401, 0.351, false)]
    public void Rows_over_http_are_compared_with_the_fastest_of_URLSession_and_with_its_loop(double segments, double sequence, bool met)
    {
        LabResults results = ByteRuns.Of(
            ByteRuns.Case("UrlSessionDataFor", 1000, "http"),
            ByteRuns.Case("UrlSessionCompletionUnsafe", 500, "http"),
            ByteRuns.Case("UrlSessionIncrementalUnsafe", 100, "http"),
            ByteRuns.Case("MillraceBytes.Vector", 100 * segments, "http"),
            ByteRuns.Case("MillraceBytes.AwaitForEach", 1000 * sequence, "http"));
        TargetResult[] targets = [.. BytesTargets.Check(results).Where(target => target.Figure.Contains("UrlSession", StringComparison.Ordinal))];
        Assert.Equal([met, met], targets.Select(target => target.Met));
        Assert.Contains("of UrlSessionIncrementalUnsafe", targets[0].Measured, StringComparison.Ordinal);
    }

    [Fact]
    public void Other_increments_and_more_readers_do_not_count_for_bars()
    {
        LabResults results = ByteRuns.Of(
            ByteRuns.Case("Increments.Span", 100),
            ByteRuns.Case("MillraceBytes.Vector", 10, buffer: 4096),
            ByteRuns.Case("MillraceBytes.Vector", 10, readers: 2));
        Assert.All(BytesTargets.Check(results), target => Assert.Null(target.Met));
    }

    [Fact]
    public void Memory_and_allocations_of_segments_have_their_limits()
    {
        CaseResult item = ByteRuns.Case("MillraceBytes.Vector", 10);
        Assert.Equal([true, true], Met(item, 2 * 1024 * 1024, 2048));
        Assert.Equal([false, false], Met(item, (2 * 1024 * 1024) + 1, 2049));
        Assert.Equal([null, null], Met(item, null, null));
    }

    private static IEnumerable<bool?> Met(CaseResult item, double? peak, double? allocated) => BytesTargets
        .Check(ByteRuns.Of(item with { Summary = item.Summary! with { PeakOverIdleBytes = peak, AllocatedBytes = allocated } }))
        .Where(target => target.Figure.StartsWith("MillraceBytes.Vector, file:", StringComparison.Ordinal))
        .Select(target => target.Met);
}

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

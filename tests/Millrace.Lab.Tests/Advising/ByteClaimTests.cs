using static Millrace.Lab.Tests.Advising.ByteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed class ByteClaimTests
{
    [Theory]
    [InlineData(36, 60, 1.0, "Yes", "slower in 1 of 1 comparison; 1.67 times the time of Increments.Span.")]
    [InlineData(60, 60, 1.0, "No", "within the noise in 1 of 1 comparison; 1.00 times")]
    [InlineData(60, 36, 1.0, "No", "faster in 1 of 1 comparison; 0.60 times")]
    [InlineData(36, 60, 9.0, "No", "some take less memory.")]
    public void Increments_are_best_when_nothing_is_as_fast_or_smaller(double mine, double other, double mib, string holds, string reason) =>
        Check(
            Apply("increments", Case("Increments.Span", mine, cpu: mine, peak: mib * 1048576),
                Case("Completion.Span", other, cpu: other, peak: 1048576),
                Case("MillraceBytes.Vector", 1)),
            holds,
            reason,
            "the others take 1.58 to 21.25 times the time, more processor time and more memory");

    [Fact]
    public void Increments_that_take_more_processor_time_are_not_best_by_every_measure() => Check(
        Apply("increments", Case("Increments.Span", 36, cpu: 90), Case("Completion.Span", 60, cpu: 60)),
        "No",
        "some take less processor time.");

    [Theory]
    [InlineData(40, "Yes", "file: 1 of 2 of their other methods are faster")]
    [InlineData(90, "No", "file: 2 of 2 of their other methods are faster")]
    public void Async_bytes_are_second_when_only_increments_are_faster(double ms, string holds, string reason)
    {
        Advice advice = Check(
            Apply("async bytes", Case("Increments.Span", 36),
                Case("Completion.Span", 60),
                Case("AsyncBytes.AwaitForEach", ms),
                Case("MillraceBytes.AwaitForEach", 20)),
            holds,
            reason,
            "(2.19 to 2.48 times its time)");
        Assert.Contains("ReadBytesAsync", advice.Action, StringComparison.Ordinal);
        Assert.Contains("0.15 ns a byte", advice.EvidenceTexts.Last(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(72, 72, "Yes", "slower in 2 of 2 comparisons; 2.00 times")]
    [InlineData(50, 72, "No", "slower in 2 of 2 comparisons; 1.39 to 2.00 times")]
    [InlineData(36, 72, "No", "slower in 1 of 2 comparisons, within the noise in 1")]
    public void Raw_buffer_is_far_faster_from_twice_on(double index, double fold, string holds, string reason) => Check(
        Apply("raw buffer", Case("Increments.Span", 36), Case("Increments.For", index), Case("Increments.Reduce", fold)),
        holds,
        reason,
        "(6.81 to 19.97 times its time)");

    [Theory]
    [InlineData(270, "Yes", "in 1 of 1 comparison.")]
    [InlineData(140, "No", "in 0 of 1 comparison.")]
    public void View_doubles_memory_when_it_adds_more_than_half_of_the_length(double mib, string holds, string reason) => Check(
        Apply("memory of a view", Case("AllAtOnce.Span", 36, peak: mib * 1048576), Case("AllAtOnce.For", 36, peak: 130 * 1048576)),
        holds,
        reason,
        "(the peak is 1.14 to 1.58 times as high there)");

    [Theory]
    [InlineData(130, "Yes", "in 1 of 1 comparison")]
    [InlineData(4, "No", "in 0 of 1 comparison")]
    public void All_at_once_takes_many_times_the_memory_from_five_on(double mib, string holds, string reason) => Check(
        Apply("peak memory", Case("Completion.Span", 36, peak: mib * 1048576), Case("Increments.Span", 36, peak: 1048576)),
        holds,
        reason,
        "19.38 to 25.70 times between the worst and the best");

    [Theory]
    [InlineData(45, "Yes", "slower in 1 of 1 comparison; 1.25 times the time of For.")]
    [InlineData(36, "No", "within the noise in 1 of 1")]
    public void For_loop_is_compared_with_functional_walks(double each, string holds, string reason) => Check(
        Apply("for loops", Case("Increments.For", 36), Case("Increments.ForEach", each)),
        holds,
        reason,
        "(1.22 to 1.28 times its time)");

    [Theory]
    [InlineData(104, "Yes")]
    [InlineData(97, "Yes")]
    [InlineData(110, "No")]
    [InlineData(90, "No")]
    public void ForEach_and_reduce_are_the_same_within_a_twentieth(double reduce, string holds) => Check(
        Apply("forEach and reduce", Case("Increments.ForEach", 100), Case("Increments.Reduce", reduce)),
        holds,
        "of ForEach; the same is within the noise, or within 5.0 %.",
        "(0.98 to 1.01 times its time)");

    [Theory]
    [InlineData(1, "Yes", "rank correlation of 1.00 or more")]
    [InlineData(-1, "No", "rank correlation of -1.00 or more")]
    public void Order_of_the_ways_is_compared_with_theirs(int sign, string holds, string reason)
    {
        string[] order = ["Increments.Span", "Completion.Span", "Increments.For", "Increments.Reduce", "AllAtOnce.ForEach"];
        Check(
            Apply("machines", [.. order.Select((method, place) => Case(method, 100 + (sign * 10 * place)))]),
            holds,
            reason,
            "(rank correlation 0.97 between the two there)");
    }

    [Theory]
    [InlineData(100, "Yes", "2.00 times the time of the fastest; it is 2 times and more in 1 of 1 arrival.")]
    [InlineData(60, "No", "in 0 of 1 arrival.")]
    public void Walk_is_the_limit_when_it_decides_the_time(double slow, string holds, string reason) => Check(
        Apply("limits", Case("Increments.Span", 50), Case("Increments.Reduce", slow)),
        holds,
        reason,
        "(the most were 2,286 and 3,556 MiB/s there)");

    [Fact]
    public void Bytes_are_the_limit_where_vectors_are_no_faster_than_a_loop() => Assert.Contains(
        "so here the bytes are the limit",
        Assert.Single(Apply("limits", Case("Increments.Span", 50.1), Case("Increments.Vector", 50), Case("Increments.Reduce", 100)))
            .EvidenceTexts.First(),
        StringComparison.Ordinal);

    [Fact]
    public void Readers_and_processors_are_reported_for_each_source()
    {
        Advice readers = Assert.Single(Runs.Apply("readers", Everything));
        Assert.Equal(6, readers.Evidence.Count);
        Assert.Contains("http: up to 3", readers.Claim!.Reason, StringComparison.Ordinal);
        Assert.Contains("file: up to 3", readers.Claim.Reason, StringComparison.Ordinal);
        Advice processors = Assert.Single(Runs.Apply("processors", Everything));
        Assert.Equal(4, processors.Evidence.Count);
        Assert.Contains("server, which is another process", processors.Evidence[0].Text, StringComparison.Ordinal);
        Assert.Null(processors.Code);
    }

    [Fact]
    public void Readers_of_different_ways_are_not_compared() => Check(
        Apply("readers", Case("Increments.Span", 36), Case("AllAtOnce.Span", 100, readers: 4)),
        "CannotBeTold",
        "quick mode reads with one");

    [Fact]
    public void Every_conclusion_cannot_be_told_without_measurements()
    {
        Advice[] advice = [.. Advisor.Advise(Of()).Where(item => item.Claim is not null)];
        Assert.Equal(11, advice.Length);
        Assert.All(advice, item =>
        {
            Assert.Equal(Holds.CannotBeTold, item.Claim!.Holds);
            Assert.StartsWith("millrace lab bytes", item.Check, StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData(new double[] { 1, 2, 3, 4 }, new double[] { 10, 20, 30, 40 }, 1)]
    [InlineData(new double[] { 1, 2, 3, 4 }, new double[] { 4, 3, 2, 1 }, -1)]
    [InlineData(new double[] { 1, 2, 2, 3 }, new double[] { 1, 3, 2, 4 }, 0.9487)]
    [InlineData(new double[] { 1, 1 }, new double[] { 1, 2 }, 0)]
    public void Rank_correlation_matches_known_values(double[] first, double[] second, double expected) =>
        Assert.Equal(expected, ClaimEvaluator.RankCorrelation(first, second), 0.0001);

    private static Advice Check(Advice[] advice, string holds, string reason, string says = "")
    {
        Advice item = Assert.Single(advice);
        Assert.Equal(holds, item.Claim!.Holds.ToString());
        Assert.Contains(reason, item.Claim.Reason, StringComparison.Ordinal);
        Assert.Contains(says, item.Claim.Says, StringComparison.Ordinal);
        Assert.StartsWith("https://wadetregaskis.com/", item.Claim.Source, StringComparison.Ordinal);
        Assert.NotEmpty(item.Action);
        return item;
    }
}

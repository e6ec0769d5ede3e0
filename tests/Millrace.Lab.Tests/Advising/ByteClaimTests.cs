using static Millrace.Lab.Tests.Advising.ByteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed class ByteClaimTests
{
    private static readonly string[] Order = ["Increments.Span", "Completion.Span", "Increments.For", "Increments.Reduce", "AllAtOnce.ForEach"];

    [Fact]
    public void Conclusions_about_bytes_match_the_golden_file() => Golden.Check(
        "claims-bytes.md",
        ("Increments are best", Best(36, 60, 1)),
        ("Increments are as fast as another", Best(60, 60, 1)),
        ("Increments are slower than another", Best(60, 36, 1)),
        ("Increments take more memory than another", Best(36, 60, 9)),
        ("Increments take more processor time than another", Apply(
            "increments", Case("Increments.Span", 36, cpu: 90), Case("Completion.Span", 60, cpu: 60))),
        ("Only increments are faster than async bytes", AsyncBytes(40)),
        ("Others are faster than async bytes, too", AsyncBytes(90)),
        ("A raw buffer takes half the time of the others", RawBuffer(72, 72)),
        ("A raw buffer takes more than half the time of one", RawBuffer(50, 72)),
        ("A raw buffer is as fast as one", RawBuffer(36, 72)),
        ("A view adds the length of the bytes to the peak", View(270)),
        ("A view adds less than half of the length", View(140)),
        ("All at once takes many times the memory", AllAtOnce(130)),
        ("All at once takes less than five times the memory", AllAtOnce(4)),
        ("A loop is faster than a functional walk", Apply("for loops", Case("Increments.For", 36), Case("Increments.ForEach", 45))),
        ("A loop is as fast as a functional walk", Apply("for loops", Case("Increments.For", 36), Case("Increments.ForEach", 36))),
        ("A fold is a little slower than forEach", Fold(104)),
        ("A fold is a little faster than forEach", Fold(97)),
        ("A fold is more than a twentieth slower than forEach", Fold(110)),
        ("A fold is more than a twentieth faster than forEach", Fold(90)),
        ("The order of the ways is theirs", Apply("machines", [.. Order.Select((method, place) => Case(method, 100 + (10 * place)))])),
        ("The order of the ways is the reverse of theirs", Apply("machines", [.. Order.Select((method, place) => Case(method, 100 - (10 * place)))])),
        ("The walk decides the time", Apply("limits", Case("Increments.Span", 50), Case("Increments.Reduce", 100))),
        ("The walk does not decide the time", Apply("limits", Case("Increments.Span", 50), Case("Increments.Reduce", 60))),
        ("Vectors are no faster than a loop: the bytes are the limit", Apply(
            "limits", Case("Increments.Span", 50.1), Case("Increments.Vector", 50), Case("Increments.Reduce", 100))),
        ("Readers of different ways are not compared", Apply("readers", Case("Increments.Span", 36), Case("AllAtOnce.Span", 100, readers: 4))),
        ("Readers and processors are reported for each source", [.. Runs.Apply("readers", Everything), .. Runs.Apply("processors", Everything)]));

    [Fact]
    public void Every_conclusion_cannot_be_told_without_measurements()
    {
        Advice[] advice = [.. Advisor.Advise(Of()).Where(item => item.Claim is not null)];
        Assert.Equal(11, advice.Length);
        Assert.All(advice, item =>
        {
            Assert.Equal(Holds.Inconclusive, item.Claim!.Holds);
            Assert.StartsWith("millrace lab bytes", item.Check, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Conclusions_are_also_tested_with_the_methods_that_they_were_drawn_from()
    {
        Advice[] advice = Runs.Apply("raw buffer, URLSession", Swift(100));
        Assert.Equal(Holds.Yes, Assert.Single(advice).Claim!.Holds);
        Assert.Equal(Holds.No, Assert.Single(Runs.Apply("raw buffer, URLSession", Swift(30))).Claim!.Holds);
        Assert.Contains("of UrlSessionIncrementalUnsafe", Assert.Single(Runs.Apply("increments, URLSession", Swift(100))).Statement, StringComparison.Ordinal);
        Assert.Equal(Holds.Inconclusive, Assert.Single(Runs.Apply("raw buffer", Swift(100))).Claim!.Holds);
        Assert.Empty(Runs.Apply("for loops, URLSession", Swift(100)));

        static LabResults Swift(double loop) => Of(
            Case("Increments.Span", 500, "http"),
            Case("UrlSessionIncrementalUnsafe", 20, "http"),
            Case("UrlSessionDataUnsafe", 30, "http"),
            Case("UrlSessionDataFor", loop, "http"));
    }

    [Theory]
    [InlineData(new double[] { 1, 2, 3, 4 }, new double[] { 10, 20, 30, 40 }, 1)]
    [InlineData(new double[] { 1, 2, 3, 4 }, new double[] { 4, 3, 2, 1 }, -1)]
    [InlineData(new double[] { 1, 2, 2, 3 }, new double[] { 1, 3, 2, 4 }, 0.9487)]
    [InlineData(new double[] { 1, 1 }, new double[] { 1, 2 }, 0)]
    public void Rank_correlation_matches_known_values(double[] first, double[] second, double expected) =>
        Assert.Equal(expected, ClaimEvaluator.RankCorrelation(first, second), 0.0001);

    private static Advice[] Best(double mine, double other, double mib) => Apply(
        "increments",
        Case("Increments.Span", mine, cpu: mine, peak: mib * 1048576),
        Case("Completion.Span", other, cpu: other, peak: 1048576),
        Case("MillraceBytes.Vector", 1));

    private static Advice[] AsyncBytes(double ms) => Apply(
        "async bytes",
        Case("Increments.Span", 36), Case("Completion.Span", 60), Case("AsyncBytes.AwaitForEach", ms), Case("MillraceBytes.AwaitForEach", 20));

    private static Advice[] RawBuffer(double index, double fold) => Apply(
        "raw buffer", Case("Increments.Span", 36), Case("Increments.For", index), Case("Increments.Reduce", fold));

    private static Advice[] View(double mib) => Apply(
        "memory of a view", Case("AllAtOnce.Span", 36, peak: mib * 1048576), Case("AllAtOnce.For", 36, peak: 130 * 1048576));

    private static Advice[] AllAtOnce(double mib) => Apply(
        "peak memory", Case("Completion.Span", 36, peak: mib * 1048576), Case("Increments.Span", 36, peak: 1048576));

    private static Advice[] Fold(double ms) => Apply("forEach and reduce", Case("Increments.ForEach", 100), Case("Increments.Reduce", ms));
}

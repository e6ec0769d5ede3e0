using System.Text.RegularExpressions;
using static Millrace.Lab.Tests.Advising.ByteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed partial class ByteRuleTests
{
    [Fact]
    public void Best_way_to_read_bytes_is_advised_with_its_cost()
    {
        Advice advice = Assert.Single(Apply(
            ByteRules.BestWay, Case("Increments.Span", 40), Case("MillraceBytes.Vector", 10), Case("Increments.Span", 5, readers: 2)));
        Assert.Equal(
            "file, 128 MiB: MillraceBytes.Vector is fastest with 10.0 ms; nothing else is within the noise of it.", advice.Statement);
        Assert.Equal("Use ForEachSegmentAsync with Vector<T>.", advice.Action);
        Assert.Contains("0.25 of Increments.Span, 0.075 ns a byte", advice.EvidenceTexts.First(), StringComparison.Ordinal);
        Assert.Contains("Vector.Widen", advice.Code, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("file", "AllAtOnce.Span", "Use File.ReadAllBytesAsync with a loop over the span.")]
    [InlineData("http", "AllAtOnce.For", "Use GetByteArrayAsync with an index.")]
    [InlineData("http", "PipeReader.ForEach", "Use PipeReader.Create over the response's stream with a delegate for each byte.")]
    [InlineData("file", "PipeReader.Reduce", "Use FilePipe.OpenRead with a fold.")]
    [InlineData("file", "Increments.Vector", "Use ReadAsync into one buffer of 64 KiB with Vector<T>.")]
    [InlineData("file", "MillraceBytes.AwaitForEach", "Use ReadBytesAsync with await foreach.")]
    [InlineData("file", "Completion.Vector", "Use a callback that gets all bytes at once with Vector<T>.")]
    [InlineData("file", "AsyncBytes.Reduce", "Use an async iterator over the stream with a fold.")]
    public void Every_way_is_described_in_the_words_of_an_API(string source, string method, string action) => Assert.Equal(
        action,
        Assert.Single(Apply(ByteRules.BestWay, Case("Increments.Span", 40, source), Case(method, 10, source))).Action);

    [Fact]
    public void Among_equally_fast_ways_one_without_a_full_buffer_is_advised()
    {
        Advice advice = Assert.Single(Apply(ByteRules.BestWay, Case("AllAtOnce.Span", 10, cpu: 10), Case("Increments.Span", 10, cpu: 11)));
        Assert.StartsWith("Use ReadAsync into one buffer", advice.Action, StringComparison.Ordinal);
    }

    [Fact]
    public void Cost_of_a_byte_is_reported_for_every_walk()
    {
        Advice advice = Assert.Single(Apply(ByteRules.CostOfByte, Case("Increments.Span", 40),
            Case("AllAtOnce.Span", 80),
            Case("AsyncBytes.AwaitForEach", 1000),
            Case("MillraceBytes.AwaitForEach", 100)));
        Assert.Equal(
            "file: Span 0.30 to 0.60 ns, MillraceBytes.AwaitForEach 0.75 ns, AsyncBytes.AwaitForEach 7.45 ns",
            Assert.Single(advice.EvidenceTexts));
        Assert.Contains("from 0.30 ns (Increments.Span, file) to 7.45 ns", advice.Statement, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(30, "takes 0.33 of the time of a StreamReader, and allocates 700 B instead of 80 MiB.", "Read lines as bytes")]
    [InlineData(90, "takes 1.00 of the time of a StreamReader, within the noise, and", "Read lines as bytes")]
    [InlineData(99, "takes 1.10 of the time of a StreamReader, and", "Read lines with a StreamReader")]
    public void Lines_as_bytes_are_compared_with_strings(double mine, string statement, string action)
    {
        Advice advice = Assert.Single(Apply(
            ByteRules.Lines, Case("StreamReader.Lines", 90, content: "csv", bytes: TaxiFareCsv.Bytes, allocated: 80 << 20),
            Case("MillraceLines.Lines", mine, content: "csv", bytes: TaxiFareCsv.Bytes, allocated: 700)));
        Assert.Contains(statement, advice.Statement, StringComparison.Ordinal);
        Assert.StartsWith(action, advice.Action, StringComparison.Ordinal);
        Assert.EndsWith("--filter \"StreamReader.Lines*\"", advice.Check, StringComparison.Ordinal);
        Assert.Contains("90.73 ns a line", advice.EvidenceTexts.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public void Advice_on_bytes_names_only_measured_methods()
    {
        HashSet<string> methods = [.. Everything.Cases.Select(item => item.Method)];
        Assert.All(Advisor.Advise(Everything), item =>
        {
            string all = string.Join('\n', [item.Title, item.Action, item.Code, .. item.EvidenceTexts]);
            Assert.DoesNotMatch("NaN|∞|FileStream|PipePump|PipeReaderCreate|MemoryMapped|its own buffer", all);
            Assert.All(Filters().Matches(item.Check), filter => Assert.Contains(filter.Groups[1].Value, methods));
            Assert.StartsWith("millrace lab bytes --full", item.Check, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Rules_about_files_give_no_advice_on_bytes()
    {
        Assert.Empty(Runs.Apply(FileRules.MappedFill, Everything));
        Assert.Empty(Runs.Apply(FileRules.Cold, Everything));
        Assert.DoesNotContain(Advisor.Advise(Everything), item => item.Topic is "method" or "system calls" or "mapping" or "disk");
    }

    [Fact]
    public void Parallel_readers_do_not_form_a_separate_situation() => Assert.Equal(
        ["http, random, 128 MiB, hot", "file, random, 128 MiB, hot", "file, csv, 22.79 MiB, hot"],
        new SituatedCases(Everything).Situations.Select(situation => situation.Name));

    [GeneratedRegex("--filter \"([^\"*]+)")]
    private static partial Regex Filters();
}

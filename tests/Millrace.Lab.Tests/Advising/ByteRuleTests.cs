using System.Text.RegularExpressions;
using static Millrace.Lab.Tests.Advising.ByteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed partial class ByteRuleTests
{
    [Fact]
    public void Advice_on_bytes_matches_the_golden_file() => Golden.Check(
        "rules-bytes.md",
        ("The best way is advised with its cost, whatever several readers do", Apply(
            ByteRules.BestWay, Case("Increments.Span", 40), Case("MillraceBytes.Vector", 10), Case("Increments.Span", 5, readers: 2))),
        ("Of ways as fast, one without a full buffer is advised", Apply(
            ByteRules.BestWay, Case("AllAtOnce.Span", 10, cpu: 10), Case("Increments.Span", 10, cpu: 11))),
        ("Each way is named by its API", [.. new[]
        {
            ("file", "AllAtOnce.Span"), ("http", "AllAtOnce.For"), ("http", "PipeReader.ForEach"), ("file", "PipeReader.Reduce"),
            ("file", "Increments.Vector"), ("file", "MillraceBytes.AwaitForEach"), ("file", "Completion.Vector"), ("file", "AsyncBytes.Reduce"),
        }.SelectMany(way => Apply(ByteRules.BestWay, Case("Increments.Span", 40, way.Item1), Case(way.Item2, 10, way.Item1)))]),
        ("The cost of a byte is reported for every walk", Apply(
            ByteRules.CostOfByte,
            Case("Increments.Span", 40), Case("AllAtOnce.Span", 80), Case("AsyncBytes.AwaitForEach", 1000), Case("MillraceBytes.AwaitForEach", 100))),
        ("Lines as bytes are faster than strings", Lines(30)),
        ("Lines as bytes are as fast as strings", Lines(90)),
        ("Lines as bytes are slower than strings", Lines(99)));

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

    private static Advice[] Lines(double ms) => Apply(
        ByteRules.Lines,
        Case("StreamReader.Lines", 90, content: "csv", bytes: TaxiFareCsv.Bytes, allocated: 80 << 20),
        Case("MillraceLines.Lines", ms, content: "csv", bytes: TaxiFareCsv.Bytes, allocated: 700));

    [GeneratedRegex("--filter \"([^\"*]+)")]
    private static partial Regex Filters();
}

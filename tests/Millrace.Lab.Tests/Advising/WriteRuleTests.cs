using static Millrace.Lab.Tests.Advising.WriteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed class WriteRuleTests
{
    [Fact]
    public void Best_way_to_write_is_advised_for_every_chunk_size()
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Writing,
            Write("FileStreamSync", 512, 150),
            Write("FileStreamDefaultBuffer", 512, 58),
            Write("FilePipe", 512, 30),
            Write("FileStreamSync", 65536, 28),
            Write("FilePipe", 65536, 27.9),
            Write("FilePipe", 512, 1, bytes: Runs.Small),
            Write("FilePipe", 512, 1, "commit")));
        Assert.Equal(
            "128 MiB, not durable: at 512 B FilePipe takes 0.20 of FileStream's time; at 64 KiB nothing is faster by more than the noise.",
            advice.Statement);
        Assert.Equal("Write chunks of 512 B with FilePipe.", advice.Action);
        Assert.Equal(2, advice.Evidence.Count);
        Assert.Contains("30.0 ms, 0.20 of FileStreamSync", advice.EvidenceTexts.First(), StringComparison.Ordinal);
        Assert.Contains("UnflushedBytes", advice.Code, StringComparison.Ordinal);
        Assert.Equal("millrace lab writes --filter \"FilePipe/*/none\" --filter \"FileStreamSync*/*/none\"", advice.Check);
    }

    [Fact]
    public void Where_nothing_is_faster_than_a_FileStream_advice_says_so()
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Writing,
            Write("FileStreamSync", 65536, 28), Write("FilePipe", 65536, 30), Write("WriteAllBytes", 65536, 9)));
        Assert.Equal("128 MiB, not durable: at 64 KiB nothing is faster than FileStream by more than the noise.", advice.Statement);
        Assert.Contains("new FileStream(", advice.Code, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(90, "takes 90.0 ms instead of 28.0 ms, 3.21 times as long; for 4 KiB it takes 1.90 ms.", "take Durability.None for files", "Durability.None")]
    [InlineData(30, "takes 30.0 ms instead of 28.0 ms, 1.07 times as long; for 4 KiB it takes 1.90 ms.", "it costs little here", "CommitAsync")]
    public void Price_of_durability(double ms, string statement, string action, string code)
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Durability,
            Write("FilePipe", 65536, 28),
            Write("FilePipe", 65536, ms, "commit"),
            Write("FileStreamSync", 65536, 100, "commit"),
            Write("FilePipe", 4096, 1.9, "commit", 4096)));
        Assert.EndsWith(statement, advice.Statement, StringComparison.Ordinal);
        Assert.Contains(action, advice.Action, StringComparison.Ordinal);
        Assert.Contains(code, advice.Code, StringComparison.Ordinal);
        Assert.Contains("of a FileStream that is flushed and renamed", advice.EvidenceTexts.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public void Writers_that_share_flushes_are_advised()
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Records,
            Append(1, 780), Append(8, 130), Append(64, 20), Append(1, 790, "FileStreamAppend")));
        Assert.Equal(
            "A durable record takes 0.381 ms with one writer and 0.010 ms with 64, which share the device's flushes.", advice.Statement);
        Assert.Contains("102,400 records per second", string.Join('\n', advice.EvidenceTexts), StringComparison.Ordinal);
        Assert.Contains("FilePipe.Append(path)", advice.Code, StringComparison.Ordinal);
    }

    [Fact]
    public void Writers_that_do_not_help_are_not_advised()
    {
        Advice advice = Assert.Single(Apply(WriteRules.Records, Append(1, 20), Append(64, 21)));
        Assert.EndsWith("and no less with more of them.", advice.Statement, StringComparison.Ordinal);
        Assert.StartsWith("Write several records before each flush", advice.Action, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(30, "FilePipeCopy copies in 0.83 of File.Copy's time.", "Copy with FilePipe.CopyAsync.")]
    [InlineData(36, "nothing copies faster than File.Copy by more than the noise.", "Copy with File.Copy, or with FilePipe.CopyAsync where")]
    public void Way_to_copy_is_advised(double ms, string statement, string action)
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Copying,
            Copy("FileCopy", 36), Copy("Cp", 10), Copy("FilePipeCopy", ms) with { Strategy = "reflink" }));
        Assert.EndsWith(statement, advice.Statement, StringComparison.Ordinal);
        Assert.StartsWith(action, advice.Action, StringComparison.Ordinal);
        Assert.Contains("(reflink)", string.Join('\n', advice.EvidenceTexts), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(10, 10.02, 2, "2 parts at once take 0.56 of one reader's time; more bring no measurable gain.")]
    [InlineData(10, 6, 4, "4 parts at once take 0.33 of one reader's time.")]
    public void Fewest_parts_that_pay_are_advised(double two, double four, int degree, string statement)
    {
        Advice advice = Assert.Single(Apply(
            WriteRules.Parts,
            Scan(1, 18), Scan(2, two), Scan(4, four)));
        Assert.EndsWith(statement, advice.Statement, StringComparison.Ordinal);
        Assert.Contains($"degree of {degree}", advice.Action, StringComparison.Ordinal);
        Assert.Contains($"degree: {degree},", advice.Code, StringComparison.Ordinal);
    }

    [Fact]
    public void Parts_that_do_not_pay_are_not_advised()
    {
        Advice advice = Assert.Single(Apply(WriteRules.Parts, Scan(1, 10), Scan(2, 10), Scan(4, 12)));
        Assert.Equal("128 MiB of integers: parts at once are not faster than one reader by more than the noise.", advice.Statement);
        Assert.Equal("Read with one reader.", advice.Action);
    }

    [Fact]
    public void Rules_of_one_suite_give_no_advice_on_another()
    {
        Assert.DoesNotContain(Advisor.Advise(ByteRuns.Everything), IsOfWriting);
        Assert.Equal(6, Advisor.Advise(Everything).Count(IsOfWriting));
        Assert.DoesNotContain(Advisor.Advise(Everything), item => item.Topic is "buffer" or "method" or "way" || item.Claim is not null);
        Assert.Empty(Runs.Apply(WriteRules.Writing, ByteRuns.Everything));
        Assert.Empty(Runs.Apply(WriteRules.Copying, ByteRuns.Everything));
        Assert.Empty(Runs.Apply(WriteRules.Parts, ByteRuns.Everything));
        Assert.Empty(Runs.Apply(WriteRules.Records, ByteRuns.Everything));
        Assert.Empty(Runs.Apply(WriteRules.Durability, ByteRuns.Everything));
    }

    private static bool IsOfWriting(Advice item) => item.Topic is "writing" or "durability" or "records" or "copying" or "parts";
}

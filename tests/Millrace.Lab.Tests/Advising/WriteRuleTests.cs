using static Millrace.Lab.Tests.Advising.WriteRuns;

namespace Millrace.Lab.Tests.Advising;

public sealed class WriteRuleTests
{
    [Fact]
    public void Advice_on_writing_matches_the_golden_file() => Golden.Check(
        "rules-writes.md",
        ("The best way to write is advised for every chunk of the largest file", Apply(
            WriteRules.Writing,
            Write("FileStreamSync", 512, 150),
            Write("FileStreamDefaultBuffer", 512, 58),
            Write("FilePipe", 512, 30),
            Write("FileStreamSync", 65536, 28),
            Write("FilePipe", 65536, 27.9),
            Write("FilePipe", 512, 1, bytes: Runs.Small),
            Write("FilePipe", 512, 1, "commit"))),
        ("Nothing that writes in chunks is faster than a FileStream", Apply(
            WriteRules.Writing, Write("FileStreamSync", 65536, 28), Write("FilePipe", 65536, 30), Write("WriteAllBytes", 65536, 9))),
        ("Durability costs much", Durable(90)),
        ("Durability costs little", Durable(30)),
        ("Writers that share flushes", Apply(WriteRules.Records, Append(1, 780), Append(8, 130), Append(64, 20), Append(1, 790, "FileStreamAppend"))),
        ("Writers that do not help", Apply(WriteRules.Records, Append(1, 20), Append(64, 21))),
        ("A file pipe copies faster than File.Copy", Copies(30)),
        ("A file pipe copies as fast as File.Copy", Copies(36)),
        ("The fewest parts that pay are advised", Parts(18, 10, 10.02)),
        ("Every part pays", Parts(18, 10, 6)),
        ("Parts do not pay", Parts(10, 10, 12)));

    [Fact]
    public void Rules_of_one_suite_give_no_advice_on_another()
    {
        Assert.DoesNotContain(Advisor.Advise(ByteRuns.Everything), IsOfWriting);
        Assert.Equal(6, Advisor.Advise(Everything).Count(IsOfWriting));
        Assert.DoesNotContain(Advisor.Advise(Everything), item => item.Topic is "buffer" or "method" or "way" || item.Claim is not null);
        Assert.All(
            new[] { WriteRules.Writing, WriteRules.Copying, WriteRules.Parts, WriteRules.Records, WriteRules.Durability },
            rule => Assert.Empty(Runs.Apply(rule, ByteRuns.Everything)));
    }

    private static Advice[] Durable(double ms) => Apply(
        WriteRules.Durability,
        Write("FilePipe", 65536, 28),
        Write("FilePipe", 65536, ms, "commit"),
        Write("FileStreamSync", 65536, 100, "commit"),
        Write("FilePipe", 4096, 1.9, "commit", 4096));

    private static Advice[] Copies(double ms) => Apply(
        WriteRules.Copying, Copy("FileCopy", 36), Copy("Cp", 10), Copy("FilePipeCopy", ms) with { Strategy = "reflink" });

    private static Advice[] Parts(double one, double two, double four) =>
        Apply(WriteRules.Parts, Scan(1, one), Scan(2, two), Scan(4, four));

    private static bool IsOfWriting(Advice item) => item.Topic is "writing" or "durability" or "records" or "copying" or "parts";
}

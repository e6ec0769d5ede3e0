using static Millrace.Lab.Tests.Advising.Runs;

namespace Millrace.Lab.Tests.Advising;

public sealed class ClaimTests
{
    [Theory]
    [InlineData(30, "Yes", "slower in 1 of 1 comparison; 1.50 to")]
    [InlineData(20, "No", "within the noise in 1 of 1 comparison; 1.00 times")]
    [InlineData(10, "No", "faster in 1 of 1 comparison; 0.50 times")]
    public void Asynchronous_reads_are_compared_with_synchronous_ones(double async, string holds, string reason)
    {
        Advice advice = Assert.Single(Apply("sync or async", Case("FileStreamSync", 4096, 20), Case("FileStreamAsync", 4096, async)));
        Check(advice, holds, reason.Replace(" to", " times", StringComparison.Ordinal));
        Assert.Contains("(1.36 to 1.92 times the time)", advice.Claim!.Says, StringComparison.Ordinal);
        Assert.StartsWith(holds == "Yes" ? "Read synchronously" : "Read asynchronously", advice.Action, StringComparison.Ordinal);
    }

    [Fact]
    public void Always_slower_does_not_hold_when_it_is_only_mostly_so()
    {
        Advice advice = Assert.Single(Apply("sync or async", Case("FileStreamSync", 4096, 20),
            Case("FileStreamAsync", 4096, 30),
            Case("FileStreamSync", 65536, 10),
            Case("FileStreamAsync", 65536, 10.01)));
        Check(advice, "No", "slower in 1 of 2 comparisons, within the noise in 1; 1.00 to 1.50 times");
        Assert.EndsWith("1.00 times, within the noise of 1.0 %", advice.EvidenceTexts.Last(), StringComparison.Ordinal);
    }

    [Fact]
    public void Too_little_data_gives_no_conclusion()
    {
        CaseResult mine = Case("FileStreamAsync", 4096, 30) with
        {
            Verdicts = [new VerdictResult { Metric = "wallNs", Against = "FileStreamSync", Verdict = "too little data" }],
        };
        Check(Assert.Single(Apply("sync or async", Case("FileStreamSync", 4096, 20), mine)), "CannotBeTold", "Not measured");
    }

    [Fact]
    public void Asynchronous_handle_is_compared_with_a_synchronous_one()
    {
        Advice[] advice = HandleAdvice(
            Case("FileStreamSync", 4096, 20),
            Case("FileStreamSync", 4096, 60, options: Runs.Asynchronous),
            Case("PipePump", 4096, 30),
            Case("PipePump", 4096, 30, options: Runs.Asynchronous));
        Assert.Equal(2, advice.Length);
        Check(advice[0], "No", "With the option, a method is slower in 1 of 2 comparisons, within the noise in 1; 1.00 to 3.00 times");
        Check(advice[1], "Yes", "With the option, FileStreamSync is slower in 1 of 1 comparison; 3.00 times the time without it.");
        Assert.Contains("(1.44 to 11.42 times the time)", advice[0].Claim!.Says, StringComparison.Ordinal);
        Assert.Contains("(1.80 to 11.42 times the time)", advice[1].Claim!.Says, StringComparison.Ordinal);
        Assert.StartsWith("Leave FileOptions.Asynchronous out", advice[1].Action, StringComparison.Ordinal);
    }

    [Fact]
    public void Asynchronous_handle_that_costs_nothing()
    {
        Advice[] advice = HandleAdvice(
            Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 4096, 20, options: Runs.Asynchronous));
        Assert.All(advice, item => Check(item, "No", "within the noise in 1 of 1"));
        Assert.All(advice, item => Assert.StartsWith("Set FileOptions.Asynchronous", item.Action, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(30, "Yes", "give it a large buffer")]
    [InlineData(20, "No", "an adapter costs nothing")]
    public void Adapters_are_compared_with_a_FileStream(double adapter, string holds, string action)
    {
        Advice advice = Assert.Single(Apply(
            "pipes", Case("FileStreamSync", 4096, 20), Case("PipeReaderCreate", 4096, adapter), Case("PipePump", 4096, adapter)));
        Check(advice, holds, "of 2 comparisons");
        Assert.Contains(action, advice.Action, StringComparison.Ordinal);
        Assert.Contains("(1.76 to 3.76 times the time)", advice.Claim!.Says, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(10, 10, "No", "wherever the code is easier")]
    [InlineData(30, 10, "No", "except with the parameters where it is slower")]
    [InlineData(30, 30, "Yes", "Use a FileStream where time matters")]
    public void File_pipes_are_compared_with_a_FileStream(double first, double second, string holds, string action)
    {
        Advice advice = Assert.Single(Apply("file pipes", Case("FileStreamSync", 4096, 20),
            Case("FilePipe", 4096, first),
            Case("FileStreamSync", 65536, 20),
            Case("FilePipe", 65536, second)));
        Check(advice, holds, "of 2 comparisons");
        Assert.Contains(action, advice.Action, StringComparison.Ordinal);
        Assert.Contains("(1.86 to 7.19 times the time)", advice.Claim!.Says, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(20, 15, "Yes", "64 KiB for 128 MiB")]
    [InlineData(20, 10, "No", "16 KiB for 128 MiB")]
    public void Large_buffers_are_compared_with_smaller_ones(double at4, double at16, string holds, string reason) => Check(
        Assert.Single(Apply(
            "buffer", Case("FileStreamSync", 4096, at4), Case("FileStreamSync", 16384, at16), Case("FileStreamSync", 65536, 10))),
        holds,
        reason);

    [Theory]
    [InlineData(1, "Yes", "Per MiB, 4 MiB is slower in 1 of 1 comparison; 1.60 times")]
    [InlineData(0.5, "No", "Per MiB, 4 MiB is faster in 1 of 1 comparison; 0.80 times")]
    public void Smaller_file_is_compared_per_MiB(double small, string holds, string reason) => Check(
        Assert.Single(Apply("file size", Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 4096, small, Runs.Small))),
        holds,
        reason);

    [Fact]
    public void Garbage_collections_are_reported()
    {
        Advice[] without = Apply("collections", Case("FilePipe", 4096, 10), Case("PipePump", 4096, 10));
        Check(without[0], "Yes", "None of 1 cases needed a collection.");
        Check(without[1], "No", "None of 1 cases needed a collection.");
        Advice[] with = Apply("collections", Case("FilePipe", 4096, 10, gen0: 3), Case("PipePump", 4096, 10, gen0: 4000));
        Check(with[0], "No", "1 of 1 cases needed collections.");
        Check(with[1], "Yes", "1 of 1 cases needed collections.");
        Assert.Contains("4000, 0 and 0 collections", Assert.Single(with[1].EvidenceTexts), StringComparison.Ordinal);
        Assert.StartsWith("Look for what allocates", with[0].Action, StringComparison.Ordinal);
        Assert.StartsWith("Give an adapter buffers", with[1].Action, StringComparison.Ordinal);
    }

    [Fact]
    public void Allocations_of_pipes_are_compared_with_those_of_a_FileStream()
    {
        Advice[] more = Apply("allocations", Case("FileStreamSync", 4096, 10, allocated: 160),
            Case("FilePipe", 4096, 10, allocated: 584),
            Case("FileStreamSync", 4096, 10, options: Runs.Asynchronous, allocated: 20 << 20));
        Check(more[0], "No", "Pipes allocated more.");
        Check(more[1], "Yes", "At most 20 MiB for 128 MiB hot at 4 KiB.");
        Advice[] less = Apply("allocations", Case("FileStreamSync", 4096, 10, allocated: 4296),
            Case("FilePipe", 4096, 10, allocated: 584),
            Case("FileStreamSync", 4096, 10, options: Runs.Asynchronous, allocated: 4296));
        Check(less[0], "Yes", "Every pipe allocated less.");
        Check(less[1], "No", "At most 4.2 KiB for 128 MiB hot at 4 KiB.");
    }

    [Theory]
    [InlineData(15, 20, "Yes", "Every method uses more than one.")]
    [InlineData(10, 20, "No", "It depends on the method: 1 of 2 use more than one")]
    [InlineData(10, 10, "No", "No method uses more than one.")]
    public void Processors_in_use_are_compared_with_one(double streamCpu, double pipeCpu, string holds, string reason)
    {
        Advice advice = Assert.Single(Apply(
            "processors", Case("FileStreamSync", 4096, 10, cpu: streamCpu), Case("FilePipe", 4096, 10, cpu: pipeCpu)));
        Check(advice, holds, reason);
        Assert.Contains("(1.05 to 2.50 there)", advice.Claim!.Says, StringComparison.Ordinal);
        Assert.StartsWith("https://wadetregaskis.com/", advice.Claim.Source, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(40, "Yes", "Up to 3 readers move 2.00 times the bytes of one in the same time; the most that any number moves is 2.00 times.")]
    [InlineData(20, "No", "Up to 3 readers move 2.00 times the bytes of one in the same time; the most that any number moves is 4.00 times.")]
    public void Parallel_readers_are_compared_with_one(double eightAtOnce, string holds, string reason)
    {
        CaseResult[] measured =
        [
            ReadBy(1, 10), ReadBy(2, 10), ReadBy(8, eightAtOnce),
        ];
        Check(Assert.Single(Apply("readers", measured)), holds, reason);

        static CaseResult ReadBy(int readers, double ms)
        {
            CaseResult item = Case("FilePipe", 4096, ms);
            return item with { Parameters = item.Parameters with { Readers = readers } };
        }
    }

    [Fact]
    public void Every_untested_conclusion_names_the_command_to_run()
    {
        Advice[] advice = [.. Advisor.Advise(Of(Case("Other", 4096, 10))).Where(item => item.Claim is not null)];
        Assert.Equal(13, advice.Length);
        Assert.All(advice, item =>
        {
            Check(item, "CannotBeTold", "Not measured: ", evidence: false);
            Assert.StartsWith("millrace lab files", item.Check, StringComparison.Ordinal);
            Assert.EndsWith(": not decidable", item.Title, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Conclusions_about_files_are_not_tested_with_another_suite() => Assert.DoesNotContain(
        Advisor.Advise(Of(Case("HttpClient", 4096, 10)) with { Suite = "transfers" }), item => item.Claim is not null);

    private static Advice[] HandleAdvice(params CaseResult[] cases) =>
        [.. Apply("asynchronous handle", cases), .. Apply("synchronous read on an asynchronous handle", cases)];

    private static void Check(Advice advice, string holds, string reason, bool evidence = true)
    {
        Assert.Equal(holds, advice.Claim!.Holds.ToString());
        Assert.Contains(reason, advice.Claim.Reason, StringComparison.Ordinal);
        Assert.StartsWith("https://", advice.Claim.Source, StringComparison.Ordinal);
        Assert.NotEmpty(advice.Action);
        Assert.Equal(evidence && holds != "CannotBeTold", advice.Evidence.Count > 0);
    }
}

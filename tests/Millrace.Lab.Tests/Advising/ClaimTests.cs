using static Millrace.Lab.Tests.Advising.Runs;

namespace Millrace.Lab.Tests.Advising;

public sealed class ClaimTests
{
    [Fact]
    public void Conclusions_about_time_match_the_golden_file() => Golden.Check(
        "claims-time.md",
        ("Asynchronous reads are slower", Async(30)),
        ("Asynchronous reads are as fast", Async(20)),
        ("Asynchronous reads are faster", Async(10)),
        ("Always slower does not hold when it is only mostly so", Apply(
            "sync or async",
            Case("FileStreamSync", 4096, 20), Case("FileStreamAsync", 4096, 30),
            Case("FileStreamSync", 65536, 10), Case("FileStreamAsync", 65536, 10.01))),
        ("Always slower holds mostly when the rest is within the noise", Apply("sync or async", [.. Several(10, 10.01)])),
        ("Always slower does not hold when one is faster", Apply("sync or async", [.. Several(10, 8)])),
        ("Too little data gives no conclusion", Apply("sync or async", Case("FileStreamSync", 4096, 20), Case("FileStreamAsync", 4096, 30) with
        {
            Verdicts = [new VerdictResult { Metric = "wallNs", Against = "FileStreamSync", Verdict = "too little data" }],
        })),
        ("An asynchronous handle slows one of two methods", Handle(
            Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 4096, 60, options: Asynchronous),
            Case("PipePump", 4096, 30), Case("PipePump", 4096, 30, options: Asynchronous))),
        ("An asynchronous handle costs nothing", Handle(
            Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 4096, 20, options: Asynchronous))),
        ("Adapters are slower than a FileStream", Adapters(30)),
        ("Adapters are as fast as a FileStream", Adapters(20)),
        ("File pipes are faster than a FileStream", Pipes(10, 10)),
        ("File pipes are slower with some parameters", Pipes(30, 10)),
        ("File pipes are slower", Pipes(30, 30)),
        ("Large buffers are faster", Buffers(20, 15)),
        ("Large buffers are no faster than one of 16 KiB", Buffers(20, 10)),
        ("The smaller file takes longer per MiB", SmallerFile(1)),
        ("The smaller file takes less per MiB", SmallerFile(0.5)));

    // Four buffers at which ReadAsync is slower, and a fifth.
    private static IEnumerable<CaseResult> Several(double sync, double async) =>
    [
        .. new[] { 2048, 4096, 16384, 65536 }.SelectMany(
            buffer => new[] { Case("FileStreamSync", buffer, 20), Case("FileStreamAsync", buffer, 30) }),
        Case("FileStreamSync", 262144, sync),
        Case("FileStreamAsync", 262144, async),
    ];

    [Fact]
    public void Conclusions_about_memory_and_processors_match_the_golden_file() => Golden.Check(
        "claims-costs.md",
        ("No method collects garbage", Apply("collections", Case("FilePipe", 4096, 10), Case("PipePump", 4096, 10))),
        ("All methods collect garbage", Apply("collections", Case("FilePipe", 4096, 10, gen0: 3), Case("PipePump", 4096, 10, gen0: 4000))),
        ("Pipes allocate more than a FileStream", Allocations(160, 20 << 20)),
        ("Pipes allocate less than a FileStream", Allocations(4296, 4296)),
        ("Every method uses more than one processor", Processors(15, 20)),
        ("One of two methods uses more than one processor", Processors(10, 20)),
        ("No method uses more than one processor", Processors(10, 10)),
        ("More than three readers bring nothing", Apply("readers", ReadBy(1, 10), ReadBy(2, 10), ReadBy(8, 40))),
        ("More than three readers bring more", Apply("readers", ReadBy(1, 10), ReadBy(2, 10), ReadBy(8, 20))));

    [Fact]
    public void Every_untested_conclusion_names_the_command_to_run()
    {
        Advice[] advice = [.. Advisor.Advise(Of(Case("Other", 4096, 10))).Where(item => item.Claim is not null)];
        Assert.Equal(14, advice.Length);
        Assert.All(advice, item =>
        {
            Assert.Equal((Holds.Inconclusive, 0), (item.Claim!.Holds, item.Evidence.Count));
            Assert.StartsWith("millrace lab files", item.Check, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Conclusions_about_files_are_not_tested_with_another_suite() => Assert.DoesNotContain(
        Advisor.Advise(Of(Case("HttpClient", 4096, 10)) with { Suite = "transfers" }), item => item.Claim is not null);

    private static Advice[] Apply(string topic, params CaseResult[] cases) => Runs.Apply(topic, cases);

    private static Advice[] Async(double ms) => Apply("sync or async", Case("FileStreamSync", 4096, 20), Case("FileStreamAsync", 4096, ms));

    private static Advice[] Handle(params CaseResult[] cases) =>
        [.. Apply("asynchronous handle", cases), .. Apply("synchronous read on an asynchronous handle", cases)];

    private static Advice[] Adapters(double ms) => Apply(
        "pipes", Case("FileStreamSync", 4096, 20), Case("PipeReaderCreate", 4096, ms), Case("PipePump", 4096, ms));

    private static Advice[] Pipes(double first, double second) => Apply(
        "file pipes",
        Case("FileStreamSync", 4096, 20), Case("FilePipe", 4096, first), Case("FileStreamSync", 65536, 20), Case("FilePipe", 65536, second));

    private static Advice[] Buffers(double at4, double at16) => Apply(
        "buffer", Case("FileStreamSync", 4096, at4), Case("FileStreamSync", 16384, at16), Case("FileStreamSync", 65536, 10));

    private static Advice[] SmallerFile(double ms) => Apply(
        "file size", Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 4096, ms, Small));

    private static Advice[] Allocations(double stream, double asynchronous) => Apply(
        "allocations",
        Case("FileStreamSync", 4096, 10, allocated: stream),
        Case("FilePipe", 4096, 10, allocated: 584),
        Case("FileStreamSync", 4096, 10, options: Asynchronous, allocated: asynchronous));

    private static Advice[] Processors(double stream, double pipe) => Apply(
        "processors", Case("FileStreamSync", 4096, 10, cpu: stream), Case("FilePipe", 4096, 10, cpu: pipe));

    private static CaseResult ReadBy(int readers, double ms)
    {
        CaseResult item = Case("FilePipe", 4096, ms);
        return item with { Parameters = item.Parameters with { Readers = readers } };
    }
}

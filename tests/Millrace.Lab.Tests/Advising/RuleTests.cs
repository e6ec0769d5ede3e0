using static Millrace.Lab.Tests.Advising.Runs;

namespace Millrace.Lab.Tests.Advising;

public sealed class RuleTests
{
    private const string Cold = "cold";

    [Fact]
    public void Advice_on_methods_and_buffers_matches_the_golden_file() => Golden.Check(
        "rules-methods.md",
        ("Of methods within the noise of the fastest, the thriftiest is advised", Apply(
            FileRules.BestMethod,
            Case("FileStreamSync", 65536, 20, cpu: 20),
            Case("FilePipeReadAhead", 65536, 10, cpu: 18),
            Case("FilePipeMapped", 65536, 10.05, cpu: 11))),
        ("The best method alone is advised with its buffer", Apply(
            FileRules.BestMethod, Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 65536, 10), Case("FilePipe", 4096, 15))),
        ("The framework's mapping is advised as that of a file pipe", Apply(
            FileRules.BestMethod, Case("FileStreamSync", 4096, 20), Case("MemoryMapped", 4096, 10))),
        ("The framework's mapping gives way to a method that is as fast", Apply(
            FileRules.BestMethod, Case("FilePipeReadAhead", 4096, 10, cpu: 20), Case("MemoryMapped", 4096, 10, cpu: 10))),
        ("Each file and state of the cache has its best method", Apply(
            FileRules.BestMethod,
            Case("FileStreamSync", 4096, 20), Case("FilePipe", 4096, 10),
            Case("FileStreamSync", 4096, 2, Small), Case("FilePipe", 4096, 1, Small),
            Case("FileStreamSync", 4096, 80, cache: Cold), Case("FilePipe", 4096, 90, cache: Cold))),
        ("One method alone is not the best", Apply(FileRules.BestMethod, Case("FilePipe", 4096, 10))),
        ("The smallest buffer within the noise of the best is advised", Apply(
            FileRules.SmallestBuffer,
            Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 16384, 10.05), Case("FileStreamSync", 65536, 10),
            Case("FilePipe", 4096, 7), Case("FilePipe", 16384, 7), Case("FilePipe", 65536, 6.99))),
        ("A buffer that does not matter", Apply(
            FileRules.SmallestBuffer, Case("FileStreamSync", 4096, 10), Case("FileStreamSync", 16384, 10), Case("FileStreamSync", 65536, 10))),
        ("Two buffers are too few", Apply(FileRules.SmallestBuffer, Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 65536, 10))),
        ("The command names the user's own file and the mode", Runs.Apply(FileRules.BestMethod, Of(
        [
            .. new[] { Case("FileStreamSync", 4096, 20), Case("FilePipe", 4096, 10) }
                .Select(item => item with { Parameters = item.Parameters with { File = "/data/my file.log", CacheFill = "read back" } }),
        ]) with
        { Mode = "full" })));

    [Fact]
    public void Advice_on_memory_and_processors_matches_the_golden_file() => Golden.Check(
        "rules-costs.md",
        ("The front of memory and speed leaves out what is beaten in both", Apply(
            FileRules.MemoryForSpeed,
            Case("Greedy", 4096, 10, peak: 100 << 20), Case("Middling", 4096, 20, peak: 10 << 20),
            Case("Dominated", 4096, 25, peak: 50 << 20), Case("Frugal", 4096, 40, peak: 1 << 20))),
        ("Allocated memory is compared separately", Apply(
            FileRules.MemoryForSpeed, Case("Greedy", 4096, 10, allocated: 100 << 20), Case("Frugal", 4096, 20, allocated: 160))),
        ("The smaller method is also the faster one", Apply(
            FileRules.MemoryForSpeed, Case("Greedy", 4096, 40, peak: 100 << 20), Case("Frugal", 4096, 10, peak: 1 << 20))),
        ("The smaller method is within the noise of the faster one", Apply(
            FileRules.MemoryForSpeed, Case("Greedy", 4096, 10, peak: 100 << 20), Case("AsFast", 4096, 10.01, peak: 1 << 20))),
        ("Some kilobytes do not matter", Apply(FileRules.MemoryForSpeed, Case("A", 4096, 10, allocated: 3000), Case("B", 4096, 20, allocated: 160))),
        ("Memory was not measured", Apply(FileRules.MemoryForSpeed, Case("A", 4096, 10), Case("B", 4096, 20))),
        ("Speed from a second processor has an alternative", Apply(
            FileRules.ProcessorTime,
            Case("FileStreamSync", 4096, 15, cpu: 15),
            Case("FilePipeReadAhead", 4096, 10, cpu: 20),
            Case("FilePipeBuffered", 4096, 15.5, cpu: 15.5))),
        ("Speed from one processor", Apply(
            FileRules.ProcessorTime, Case("FileStreamSync", 4096, 15, cpu: 15), Case("FilePipeReadAhead", 4096, 10, cpu: 10))),
        ("Processor time was not measured", Apply(FileRules.ProcessorTime, Case("FileStreamSync", 4096, 15), Case("FilePipeReadAhead", 4096, 10))),
        ("The price of a call is added time by added calls", Apply(
            FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 30, calls: 60_500), Case("FileStreamSync", 262144, 10, calls: 500))),
        ("The price of a call where the processor's flaws are not known", Runs.Apply(
            FileRules.SystemCallPrice,
            WithoutMitigations(Of(Case("FileStreamSync", 2048, 30, calls: 60_500), Case("FileStreamSync", 262144, 10, calls: 500))))),
        ("Calls are unknown", Apply(FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 30), Case("FileStreamSync", 262144, 10))),
        ("Calls are too few", Apply(
            FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 30, calls: 900), Case("FileStreamSync", 262144, 10, calls: 500))),
        ("Calls cost nothing", Apply(
            FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 10, calls: 60_500), Case("FileStreamSync", 262144, 10, calls: 500))),
        ("Calls of one buffer only", Apply(FileRules.SystemCallPrice, Case("FilePipe", 2048, 10, calls: 60_500))));

    [Fact]
    public void Advice_on_mapped_and_cold_files_matches_the_golden_file() => Golden.Check(
        "rules-caches.md",
        ("A mapping that depends on who wrote the file is a warning", Apply(
            FileRules.MappedFill, Case("FilePipeMapped", 4096, 10), Case("FilePipeMapped", 4096, 25, fill: "small writes"))),
        ("A mapping that hardly depends on it", Apply(
            FileRules.MappedFill, Case("FilePipeMapped", 4096, 10), Case("FilePipeMapped", 4096, 11, fill: "small writes"))),
        ("A mapping that looks fast on one kind of file only is a warning", Apply(
            FileRules.MappedFill, Case("FileStreamSync", 4096, 20), Case("FilePipeMapped", 4096, 10), Case("MemoryMapped", 4096, 9))),
        ("A mapping that is slower needs no warning", Apply(FileRules.MappedFill, Case("FileStreamSync", 4096, 10), Case("FilePipeMapped", 4096, 20))),
        ("The disk decides, the page cache takes a quarter of its time", Apply(
            FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: Cold), Case("FilePipe", 4096, 80.2, cache: Cold), Case("FileStreamSync", 4096, 20))),
        ("The disk decides, the page cache was not measured", Apply(
            FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: Cold), Case("FilePipe", 4096, 80.2, cache: Cold))),
        ("The disk does not decide", Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: Cold), Case("FilePipe", 4096, 60, cache: Cold))),
        ("One method blocks its caller, the other does not", Waiting(85, 0.12)),
        ("Both methods block their caller", Waiting(85, 0.9)),
        ("The method that does not block is more than a tenth slower", Waiting(90, 0.12)));

    private static Advice[] Apply(Func<SituatedCases, IEnumerable<Advice>> rule, params CaseResult[] cases) => Runs.Apply(rule, cases);

    private static LabResults WithoutMitigations(LabResults results) =>
        results with { Machine = results.Machine with { Mitigations = null } };

    private static Advice[] Waiting(double ms, double callingThread) => Apply(
        FileRules.Cold,
        Case("FileStreamSync", 4096, 80, cache: Cold, callingThread: 0.97),
        Case("FilePipe", 4096, ms, cache: Cold, callingThread: callingThread));
}

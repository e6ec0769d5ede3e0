using static Millrace.Lab.Tests.Advising.Runs;

namespace Millrace.Lab.Tests.Advising;

public sealed class RuleTests
{
    [Fact]
    public void Best_method_is_named_with_those_within_its_noise_and_the_thriftiest_is_advised()
    {
        Advice advice = Assert.Single(Apply(FileRules.BestMethod, Case("FileStreamSync", 65536, 20, cpu: 20),
            Case("FilePipeReadAhead", 65536, 10, cpu: 18),
            Case("FilePipeMapped", 65536, 10.05, cpu: 11)));
        Assert.Equal(
            "128 MiB, hot: FilePipeReadAhead is fastest with 10.0 ms; within the noise of it: FilePipeMapped.", advice.Statement);
        Assert.Equal("Use FilePipeMapped: of those as fast it takes the least processor time.", advice.Action);
        Assert.Equal(SnippetText.Of("FilePipeMapped"), advice.Code);
        Assert.Equal(
            "FilePipeReadAhead/128MiB/65536/SequentialScan/hot/large writes: 10.0 ms, 0.50 of FileStreamSync's best, 18.0 ms of processor time",
            advice.EvidenceTexts.First());
        Assert.Equal(
            "millrace lab files --filter \"FilePipeReadAhead\" --filter \"FilePipeMapped\" --filter \"FileStreamSync*\"", advice.Check);
    }

    [Fact]
    public void Best_method_alone_is_advised_with_its_buffer()
    {
        Advice advice = Assert.Single(Apply(
            FileRules.BestMethod, Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 65536, 10), Case("FilePipe", 4096, 15)));
        Assert.Contains("nothing else is within the noise of it", advice.Statement, StringComparison.Ordinal);
        Assert.Equal("Use FileStreamSync with 64 KiB.", advice.Action);
        Assert.Contains("new byte[65536]", advice.Code, StringComparison.Ordinal);
    }

    [Fact]
    public void Mapping_of_the_framework_is_never_advised_unchanged()
    {
        Advice advice = Assert.Single(Apply(FileRules.BestMethod, Case("FileStreamSync", 4096, 20), Case("MemoryMapped", 4096, 10)));
        Assert.Contains("ReadStrategy.Mapped", advice.Action, StringComparison.Ordinal);
        Assert.Equal(SnippetText.Of("FilePipeMapped"), advice.Code);
        Advice other = Assert.Single(Apply(
            FileRules.BestMethod, Case("FilePipeReadAhead", 4096, 10, cpu: 20), Case("MemoryMapped", 4096, 10, cpu: 10)));
        Assert.Equal(
            "Use FilePipeReadAhead: the framework's mapping ends the process when the file is truncated.", other.Action);
    }

    [Fact]
    public void Each_file_and_state_of_the_cache_has_its_best_method_and_one_method_alone_has_none()
    {
        Advice[] advice = Apply(FileRules.BestMethod, Case("FileStreamSync", 4096, 20),
            Case("FilePipe", 4096, 10),
            Case("FileStreamSync", 4096, 2, Runs.Small),
            Case("FilePipe", 4096, 1, Runs.Small),
            Case("FileStreamSync", 4096, 80, cache: "cold"),
            Case("FilePipe", 4096, 90, cache: "cold"));
        Assert.Equal(["128 MiB, hot", "4 MiB, hot", "128 MiB, cold"], advice.Select(item => item.Statement.Split(':')[0]));
        Assert.Empty(Apply(FileRules.BestMethod, Case("FilePipe", 4096, 10)));
    }

    [Fact]
    public void Smallest_buffer_within_the_noise_of_the_best_is_advised()
    {
        Advice advice = Assert.Single(Apply(FileRules.SmallestBuffer, Case("FileStreamSync", 4096, 20),
            Case("FileStreamSync", 16384, 10.05),
            Case("FileStreamSync", 65536, 10),
            Case("FilePipe", 4096, 7),
            Case("FilePipe", 16384, 7),
            Case("FilePipe", 65536, 6.99)));
        Assert.Equal(
            "128 MiB, hot: FileStreamSync needs a buffer of 16 KiB; a larger one brings no measurable gain. It does not matter for FilePipe.",
            advice.Statement);
        Assert.Equal(
            "Give FileStreamSync 16 KiB. If your code reads small pieces, use FilePipe and read as much as you need.", advice.Action);
        Assert.Contains("new byte[16384]", advice.Code, StringComparison.Ordinal);
        Assert.Equal(
            "FileStreamSync/128MiB/16384/SequentialScan/hot/large writes: 10.1 ms, 1.01 of the best (10.0 ms at 64 KiB), where the "
                + "noise is 1.0 %; 4 KiB takes 2.00 times the best",
            advice.EvidenceTexts.First());
    }

    [Fact]
    public void Irrelevant_buffer_size_is_reported_and_two_buffers_are_too_few()
    {
        Advice advice = Assert.Single(Apply(
            FileRules.SmallestBuffer, Case("FileStreamSync", 4096, 10), Case("FileStreamSync", 16384, 10), Case("FileStreamSync", 65536, 10)));
        Assert.Equal("128 MiB, hot: the buffer of FileStreamSync does not matter from 4 KiB on.", advice.Statement);
        Assert.Empty(Apply(FileRules.SmallestBuffer, Case("FileStreamSync", 4096, 20), Case("FileStreamSync", 65536, 10)));
    }

    [Fact]
    public void Memory_as_the_price_of_speed_shows_the_front()
    {
        Advice advice = Assert.Single(Apply(FileRules.MemoryForSpeed, Case("Greedy", 4096, 10, peak: 100 << 20),
            Case("Middling", 4096, 20, peak: 10 << 20),
            Case("Dominated", 4096, 25, peak: 50 << 20),
            Case("Frugal", 4096, 40, peak: 1 << 20)));
        Assert.Equal(
            "128 MiB, hot: memory is the price of speed. Greedy takes 0.25 of the time of Frugal and 100 MiB instead of 1 MiB of "
                + "peak memory over idle.",
            advice.Statement);
        Assert.Equal(3, advice.Evidence.Count);
        Assert.Equal(
            "Where many files are read at once or memory is short, use Frugal; otherwise Greedy.", advice.Action);
    }

    [Fact]
    public void Memory_advice_needs_a_relevant_difference()
    {
        Assert.Empty(Apply(FileRules.MemoryForSpeed, Case("Greedy", 4096, 40, peak: 100 << 20), Case("Frugal", 4096, 10, peak: 1 << 20)));
        Assert.Empty(Apply(FileRules.MemoryForSpeed, Case("A", 4096, 10, allocated: 3000), Case("B", 4096, 20, allocated: 160)));
        Assert.Empty(Apply(
            FileRules.MemoryForSpeed, Case("Greedy", 4096, 10, peak: 100 << 20), Case("AsFast", 4096, 10.01, peak: 1 << 20)));
        Assert.Empty(Apply(FileRules.MemoryForSpeed, Case("A", 4096, 10), Case("B", 4096, 20)));
    }

    [Fact]
    public void Allocated_memory_is_compared_separately_from_peak_memory() => Assert.Contains(
        "of allocated memory",
        Assert.Single(Apply(
            FileRules.MemoryForSpeed, Case("Greedy", 4096, 10, allocated: 100 << 20), Case("Frugal", 4096, 20, allocated: 160))).Statement,
        StringComparison.Ordinal);

    [Fact]
    public void Speed_from_a_second_processor_is_reported_with_an_alternative()
    {
        Advice advice = Assert.Single(Apply(FileRules.ProcessorTime, Case("FileStreamSync", 4096, 15, cpu: 15),
            Case("FilePipeReadAhead", 4096, 10, cpu: 20),
            Case("FilePipeBuffered", 4096, 15.5, cpu: 15.5)));
        Assert.Equal(
            "128 MiB, hot: FilePipeReadAhead is fast because it uses 2.0 processors: 0.65 of the time of FilePipeBuffered, 1.29 times "
                + "its processor time.",
            advice.Statement);
        Assert.Contains("in a server under load, use FilePipeBuffered", advice.Action, StringComparison.Ordinal);
        Assert.Empty(Apply(
            FileRules.ProcessorTime, Case("FileStreamSync", 4096, 15, cpu: 15), Case("FilePipeReadAhead", 4096, 10, cpu: 10)));
        Assert.Empty(Apply(FileRules.ProcessorTime, Case("FileStreamSync", 4096, 15), Case("FilePipeReadAhead", 4096, 10)));
    }

    [Fact]
    public void Price_of_a_call_is_added_time_divided_by_added_calls()
    {
        LabResults results = Of(
            Case("FileStreamSync", 2048, 30, calls: 60_500), Case("FileStreamSync", 262144, 10, calls: 500));
        Advice advice = Assert.Single(Apply(FileRules.SystemCallPrice, results));
        Assert.Equal(
            "A call that reads costs about 333 ns here, besides copying: 60,000 more of them make FileStreamSync take 3.00 times as long.",
            advice.Statement);
        Assert.Contains("the kernel pays for flaws of the processor", advice.Evidence[^1].Text, StringComparison.Ordinal);
        Advice without = Assert.Single(Apply(
            FileRules.SystemCallPrice, results with { Machine = results.Machine with { Mitigations = null } }));
        Assert.Equal(2, without.Evidence.Count);
    }

    [Fact]
    public void Price_of_a_call_is_omitted_when_calls_are_unknown_few_or_free()
    {
        Assert.Empty(Apply(FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 30), Case("FileStreamSync", 262144, 10)));
        Assert.Empty(Apply(
            FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 30, calls: 900), Case("FileStreamSync", 262144, 10, calls: 500)));
        Assert.Empty(Apply(
            FileRules.SystemCallPrice, Case("FileStreamSync", 2048, 10, calls: 60_500), Case("FileStreamSync", 262144, 10, calls: 500)));
        Assert.Empty(Apply(FileRules.SystemCallPrice, Case("FilePipe", 2048, 10, calls: 60_500)));
    }

    [Fact]
    public void Mapping_that_depends_on_who_wrote_the_file_is_a_warning()
    {
        Advice advice = Assert.Single(Apply(
            FileRules.MappedFill, Case("FilePipeMapped", 4096, 10), Case("FilePipeMapped", 4096, 25, fill: "small writes")));
        Assert.Equal(AdviceKind.Warning, advice.Kind);
        Assert.Equal(
            "FilePipeMapped depends on who wrote the file: it takes 2.50 times as long after small writes as after large writes.",
            advice.Statement);
        Assert.Empty(Apply(FileRules.MappedFill, Case("FilePipeMapped", 4096, 10), Case("FilePipeMapped", 4096, 11, fill: "small writes")));
    }

    [Fact]
    public void Mapping_that_looks_fast_on_one_kind_of_file_only_is_a_warning()
    {
        Advice advice = Assert.Single(Apply(
            FileRules.MappedFill, Case("FileStreamSync", 4096, 20), Case("FilePipeMapped", 4096, 10), Case("MemoryMapped", 4096, 9)));
        Assert.StartsWith(
            "FilePipeMapped and MemoryMapped looked fast on a file that came into the cache by large writes.",
            advice.Statement,
            StringComparison.Ordinal);
        Assert.Contains("--full", advice.Check, StringComparison.Ordinal);
        Assert.Empty(Apply(FileRules.MappedFill, Case("FileStreamSync", 4096, 10), Case("FilePipeMapped", 4096, 20)));
    }

    [Fact]
    public void Cold_file_is_bound_by_the_disk_when_nothing_differs()
    {
        Advice advice = Assert.Single(Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold"),
            Case("FilePipe", 4096, 80.2, cache: "cold"),
            Case("FileStreamSync", 4096, 20)));
        Assert.Equal(
            "128 MiB, cold: the disk decides. Neither method nor buffer makes a measurable difference; in the page cache "
                + "the same file takes 0.25 of the time.",
            advice.Statement);
        Assert.EndsWith(
            "a measurable difference.",
            Assert.Single(Apply(
                FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold"), Case("FilePipe", 4096, 80.2, cache: "cold"))).Statement,
            StringComparison.Ordinal);
        Assert.Empty(Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold"), Case("FilePipe", 4096, 60, cache: "cold")));
    }

    [Fact]
    public void Cold_file_shows_whose_thread_waits()
    {
        Advice advice = Assert.Single(Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold", callingThread: 0.97),
            Case("FilePipe", 4096, 85, cache: "cold", callingThread: 0.12)));
        Assert.Equal(
            "128 MiB, cold: FileStreamSync keeps its caller for 97.0 % of the time, FilePipe for 12.0 %.", advice.Statement);
        Assert.Equal("If the thread has other work, as in a server or a user interface, use FilePipe.", advice.Action);
        Assert.Empty(Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold", callingThread: 0.97),
            Case("FilePipe", 4096, 85, cache: "cold", callingThread: 0.9)));
        Assert.Empty(Apply(FileRules.Cold, Case("FileStreamSync", 4096, 80, cache: "cold", callingThread: 0.97),
            Case("FilePipe", 4096, 90, cache: "cold", callingThread: 0.12)));
    }

    [Fact]
    public void Check_names_the_users_own_file_and_the_mode()
    {
        CaseResult[] cases =
        [
            .. new[] { Case("FileStreamSync", 4096, 20), Case("FilePipe", 4096, 10) }
                .Select(item => item with { Parameters = item.Parameters with { File = "/data/my file.log", CacheFill = "read back" } }),
        ];
        Advice advice = Assert.Single(Apply(FileRules.BestMethod, Of(cases) with { Mode = "full" }));
        Assert.StartsWith("my file.log, 128 MiB, hot: FilePipe", advice.Statement, StringComparison.Ordinal);
        Assert.Equal(
            "millrace lab files --full --file \"/data/my file.log\" --filter \"FilePipe\" --filter \"FileStreamSync*\"", advice.Check);
    }
}

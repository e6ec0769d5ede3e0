namespace Millrace.Lab.Tests.Files;

public sealed class FilesTargetsTests
{
    [Fact]
    public void Fast_run_meets_every_bar()
    {
        IReadOnlyList<TargetResult> targets = FilesTargets.Check(Measured([.. Everything(pipeMs: 2.9)]));
        Assert.Equal(20, targets.Count);
        Assert.All(targets, target => Assert.True(target.Met, target.Figure + ": " + target.Measured));
    }

    [Fact]
    public void Slow_run_misses_every_bar()
    {
        CaseResult[] cases =
        [
            .. Everything(pipeMs: 20, allocated: 2000, gen0: 1, coldMs: 150, callingThread: 0.5),
        ];
        Assert.All(FilesTargets.Check(Measured(cases)), target => Assert.False(target.Met, target.Figure + ": " + target.Measured));
    }

    [Fact]
    public void Bar_without_cases_is_neither_met_nor_missed() =>
        Assert.All(FilesTargets.Check(Measured()), target => Assert.Null(target.Met));

    [Fact]
    public void Best_case_needs_every_buffer()
    {
        CaseResult[] cases = [Fixture.Case("FileStreamSync", 4096, 10), Fixture.Case("FilePipe", 4096, 3)];
        Assert.All(
            FilesTargets.Check(Measured(cases)).Where(target => target.Figure.Contains("(Auto)", StringComparison.Ordinal)),
            target => Assert.Null(target.Met));
    }

    [Fact]
    public void Floor_is_the_best_block_and_needs_all_of_them()
    {
        CaseResult[] cases =
        [
            .. FilesSuite.FloorBlocks.Select((block, index) => Fixture.Case("RawRead", block, index == 3 ? 5 : 9)),
            Fixture.Case("FilePipeBuffered", 4096, 5.31),
            Fixture.Case("FilePipeBuffered", 65536, 5.29),
        ];
        const string Figure = "best FilePipeBuffered / best RawRead over all blocks, 128 MiB";
        Assert.True(FilesTargets.Check(Measured(cases)).Named(Figure).Met);
        Assert.False(FilesTargets.Check(Measured([.. cases[..^1]])).Named(Figure).Met);
        Assert.Null(FilesTargets.Check(Measured([.. cases[1..]])).Named(Figure).Met);
    }

    [Theory]
    [InlineData(65536, 10.4, true)] // The fixture's noise at 64 KiB is 5 %.
    [InlineData(65536, 10.6, false)]
    [InlineData(4096, 10.1, true)] // None elsewhere.
    [InlineData(4096, 10.4, false)]
    public void Noise_of_the_same_parameters_is_allowed(int buffer, double pipeMs, bool met)
    {
        CaseResult[] cases = [Fixture.Case("FileStreamSync", buffer, 10), Fixture.Case("FilePipe", buffer, pipeMs)];
        Assert.Equal(met, FilesTargets.Check(Measured(cases)).Named("same buffer").Met);
    }

    [Fact]
    public void User_file_has_no_bars()
    {
        CaseResult mine = Fixture.Case("FilePipe", 4096, 1);
        Assert.Empty(FilesTargets.Check(Measured(mine with { Parameters = mine.Parameters with { File = "/mine" } })));
    }

    [Fact]
    public void Finding_states_the_telling_buffer_and_the_best()
    {
        string? finding = FilesTargets.Finding(Measured(
            Fixture.Case("FileStreamSync", 4096, 20),
            Fixture.Case("FileStreamSync", 262144, 10),
            Fixture.Case("FilePipe", 4096, 5),
            Fixture.Case("FilePipe", 65536, 4)));
        Assert.Equal(
            "Reading 128 MiB with buffers of 4 KiB, FilePipe is 4.0 times as fast as FileStream (5.00 and 20.0 ms); "
            + "with each one's best buffer it is 2.5 times as fast (4.00 and 10.0 ms).",
            finding);
        Assert.Null(FilesTargets.Finding(Measured(Fixture.Case("FilePipe", 4096, 5))));
    }

    private static IEnumerable<CaseResult> Everything(
        double pipeMs, double allocated = 700, double gen0 = 0, double coldMs = 90, double callingThread = 0.1)
    {
        foreach (int buffer in FilesSuite.Buffers)
        {
            yield return Fixture.Case("FileStreamSync", buffer, 10);
            yield return Fixture.Case("FileStreamSync", buffer, 10, FilesSuite.SmallSize);
            yield return Loaded(Fixture.Case("FileStreamSync", buffer, 10));
            yield return Fixture.Case("PipeReaderCreate", buffer, 11);
            yield return Fixture.Case("SocketsUnofficial", buffer, 12);
            yield return Fixture.Case("NerdbankStreams", buffer, 12);
            foreach (string method in new[] { "FilePipe", "FilePipeReadAhead", "FilePipeMapped", "FilePipeBuffered" })
            {
                yield return Fixture.Case(method, buffer, pipeMs, allocated: allocated, gen0: gen0);
            }

            yield return Fixture.Case("FilePipe", buffer, pipeMs, FilesSuite.SmallSize);
            yield return Fixture.Case("FilePipeBuffered", buffer, pipeMs, FilesSuite.SmallSize);
            yield return Loaded(Fixture.Case("FilePipe", buffer, pipeMs));
            yield return Fixture.Case("MemoryMapped", buffer, 3);
        }

        foreach (long bytes in new[] { FilesSuite.SmallSize, FilesSuite.LargeSize })
        {
            foreach (int block in FilesSuite.FloorBlocks)
            {
                yield return Fixture.Case("RawRead", block, 3, bytes);
            }
        }

        foreach (int block in FilesSuite.FixedBlocks)
        {
            CaseResult item = Fixture.Case("FilePipe", 65536, pipeMs / (pipeMs > 10 ? 1.04 : 1.02));
            yield return item with { Parameters = item.Parameters with { Block = block } };
        }

        foreach (long offset in FilesSuite.Offsets)
        {
            CaseResult item = Fixture.Case("FilePipe", 65536, pipeMs * (pipeMs > 10 ? 1.06 : 1.04));
            yield return item with { Parameters = item.Parameters with { Offset = offset } };
        }

        foreach (int buffer in FilesSuite.ColdBuffers)
        {
            yield return Fixture.Case("FileStreamSync", buffer, 100, cache: "cold");
            yield return Fixture.Case("FilePipe", buffer, coldMs, cache: "cold", callingThread: callingThread);
        }

        static CaseResult Loaded(CaseResult item) => item with { Parameters = item.Parameters with { Load = "busy" } };
    }

    /// <summary>The fixture's verdicts have a separate ratio; here the times decide.</summary>
    private static LabResults Measured(params CaseResult[] cases) => Fixture.Run([.. cases.Select(static item => item with { Verdicts = null })]);
}

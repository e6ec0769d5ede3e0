using Millrace.Lab.Tests.Advising;

namespace Millrace.Lab.Tests.Writes;

public sealed class WritesTargetsTests
{
    [Fact]
    public void Bar_without_cases_is_neither_met_nor_missed()
    {
        IReadOnlyList<TargetResult> targets = WritesTargets.Check(WriteRuns.Of());
        Assert.Equal(11, targets.Count);
        Assert.All(targets, target => Assert.Null(target.Met));
    }

    [Theory]
    [InlineData(1.02, 0, true)]
    [InlineData(1.021, 0, false)]
    [InlineData(1.05, 0.05, true)]
    [InlineData(1.06, 0.05, false)]
    public void Same_chunk_is_compared_from_4_KiB_and_noise_is_allowed(double ratio, double noise, bool met)
    {
        CaseResult stream = WriteRuns.Write("FileStreamSync", 4096, 100);
        LabResults results = WriteRuns.Of(
            stream,
            WriteRuns.Write("FilePipe", 4096, 100 * ratio),
            WriteRuns.Write("FileStreamSync", 65536, 100),
            WriteRuns.Write("FilePipe", 65536, 90),
            WriteRuns.Write("FileStreamSync", 512, 10),
            WriteRuns.Write("FilePipe", 512, 90),
            WriteRuns.Write("FileStreamSync", 65536, 10, "commit"),
            WriteRuns.Write("FilePipe", 65536, 90, "commit")) with
        {
            Noise = [JudgeTests.NoiseOf(stream.Parameters, noise)],
        };
        TargetResult target = WritesTargets.Check(results).Named("FilePipe / FileStreamSync, same chunk");
        Assert.Equal(met, target.Met);
        Assert.Contains("128 MiB at 4 KiB", target.Measured, StringComparison.Ordinal);
    }

    [Fact]
    public void Smallest_chunk_is_compared_with_both_streams_at_every_length()
    {
        LabResults results = WriteRuns.Of(
            WriteRuns.Write("FileStreamSync", 512, 100),
            WriteRuns.Write("FileStreamDefaultBuffer", 512, 40),
            WriteRuns.Write("FilePipe", 512, 24),
            WriteRuns.Write("FileStreamSync", 512, 4, bytes: Runs.Small),
            WriteRuns.Write("FileStreamDefaultBuffer", 512, 1.6, bytes: Runs.Small),
            WriteRuns.Write("FilePipe", 512, 1.01, bytes: Runs.Small));
        IReadOnlyList<TargetResult> targets = WritesTargets.Check(results);
        IReadOnlyList<TargetResult> ofLarge = WritesTargets.Check(results with { Cases = [.. results.Cases.Take(3)] });
        foreach (string stream in new[] { "FileStreamSync", "FileStreamDefaultBuffer" })
        {
            Assert.False(targets.Named($"FilePipe / {stream} at 512 B").Met);
            Assert.True(ofLarge.Named($"FilePipe / {stream} at 512 B").Met);
        }

        Assert.StartsWith("0.253 at worst (4 MiB at 512 B)", targets.Named("FileStreamSync at 512 B").Measured, StringComparison.Ordinal);
    }

    [Fact]
    public void Durable_files_of_one_page_have_a_separate_bar()
    {
        IReadOnlyList<TargetResult> targets = WritesTargets.Check(WriteRuns.Of(
            WriteRuns.Write("FileStreamSync", 65536, 100, "commit"),
            WriteRuns.Write("FilePipe", 65536, 105, "commit"),
            WriteRuns.Write("FileStreamSync", 4096, 1, "commit", 4096),
            WriteRuns.Write("FilePipe", 4096, 1.06, "commit", 4096)));
        Assert.True(targets.Named("commit of larger files").Met);
        Assert.False(targets.Named("commit of 4 KiB").Met);
    }

    [Theory]
    [InlineData(1024, 0, true, true)]
    [InlineData(1025, 1, false, false)]
    public void Allocations_and_collections_of_every_file_count(double bytes, double gen0, bool few, bool none)
    {
        CaseResult item = WriteRuns.Write("FilePipe", 4096, 1, "commit", 4096);
        IReadOnlyList<TargetResult> targets = WritesTargets.Check(WriteRuns.Of(
            WriteRuns.Write("FilePipe", 512, 1),
            item with { Summary = item.Summary! with { AllocatedBytes = bytes, Gen0 = gen0, Gen1 = 0, Gen2 = 0 } }));
        Assert.Equal([few, none], [targets.Named("FilePipe: allocated").Met!.Value, targets.Named("FilePipe: collections").Met!.Value]);
    }

    [Theory]
    [InlineData(37, true)]
    [InlineData(37.1, false)]
    public void Copy_is_compared_with_File_Copy(double ms, bool met)
    {
        LabResults results = WriteRuns.Of(
            WriteRuns.Copy("FileCopy", 36), WriteRuns.Copy("Cp", 1), WriteRuns.Copy("FilePipeCopy", ms));
        Assert.Equal(met, WritesTargets.Check(results).Named("FilePipeCopy / FileCopy").Met);
    }

    [Theory]
    [InlineData(11.7, true)]
    [InlineData(11.8, false)]
    public void Two_parts_are_compared_with_one_reader_of_the_same_content(double ms, bool met)
    {
        TargetResult target = WritesTargets.Check(WriteRuns.Of(
            WriteRuns.Scan(1, 18),
            WriteRuns.Scan(2, ms),
            WriteRuns.Scan(1, 100, "lines"),
            WriteRuns.Scan(2, 50, "lines"),
            WriteRuns.Scan(4, 100, "lines"))).Named("FilePipeScan in 2 parts / FilePipe");
        Assert.Equal(met, target.Met);
        Assert.Contains("(integers)", target.Measured, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(11.5, true)]
    [InlineData(11.6, false)]
    public void Two_parts_are_compared_with_the_best_block_of_two_threads(double ms, bool met) => Assert.Equal(met, WritesTargets.Check(
        WriteRuns.Of(
            WriteRuns.Scan(2, ms),
            Raw(262144, 10.5),
            Raw(1048576, 10),
            Raw(524288, 1, "lines"))).Named("/ RawReadTwo").Met);

    private static CaseResult Raw(int block, double ms, string content = "integers")
    {
        CaseResult item = WriteRuns.Scan(2, ms, content);
        return item with { Method = "RawReadTwo", Parameters = item.Parameters with { Block = block } };
    }

    [Theory]
    [InlineData(39, true)]
    [InlineData(39.1, false)]
    public void Writers_are_compared_with_one_by_records_per_second(double ms, bool met)
    {
        LabResults results = WriteRuns.Of(
            WriteRuns.Append(1, 780), WriteRuns.Append(64, ms), WriteRuns.Append(1, 1, "FileStreamAppend"));
        TargetResult target = WritesTargets.Check(results).Named("FilePipeAppend: records");
        Assert.Equal(met, target.Met);
        Assert.EndsWith("against 2,626", target.Measured, StringComparison.Ordinal);
    }

    [Fact]
    public void Finding_contains_only_measured_values()
    {
        Assert.Null(WritesTargets.Finding(WriteRuns.Of(WriteRuns.Copy("FileCopy", 1))));
        Assert.Equal(
            "Writing durably 128 MiB in chunks of 64 KiB, FilePipe is 1.1 times as fast as FileStream (90.0 and 100.0 ms).",
            WritesTargets.Finding(WriteRuns.Of(
                WriteRuns.Write("FilePipe", 65536, 90, "commit"), WriteRuns.Write("FileStreamSync", 65536, 100, "commit"))));
        Assert.Equal(
            "Writing 128 MiB in chunks of 64 KiB, FilePipe is as fast as FileStream (28.1 and 28.0 ms); writing durably 128 MiB in "
            + "chunks of 64 KiB, FilePipe is 1.2 times as fast as FileStream (90.0 and 110.0 ms); 64 writers appended 102,400 durable records a second, one 2,626.",
            WritesTargets.Finding(WriteRuns.Everything));
    }
}

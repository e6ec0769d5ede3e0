namespace Millrace.Lab.Tests.Files;

public sealed class FilesPlanTests
{
    private static readonly TestFile[] Files =
        [TestFile.OfIncrements("/data", FilesSuite.SmallSize), TestFile.OfIncrements("/data", FilesSuite.LargeSize)];

    [Fact]
    public void Quick_mode_measures_the_main_methods_everywhere_and_samples_the_others()
    {
        IReadOnlyList<FileCase> plan = Cases(LabMode.Quick);
        FileCase[] hot = [.. plan.Where(entry => entry is { Cache: CacheState.Hot, Role: null, Offset: 0, Block: 0 })];
        foreach (string method in new[] { "FileStreamSync", "PipeReaderCreate", "FilePipe" })
        {
            Assert.Equal(12, hot.Count(entry => entry.Method == method));
        }

        // The targets compare every buffer with them.
        Assert.All(FilesSuite.Libraries, method => Assert.Equal(
            FilesSuite.Buffers, hot.Where(entry => entry.Method == method && entry.Source == Files[1]).Select(entry => entry.Buffer)));

        Assert.Equal([4096, 65536, 1048576], hot
            .Where(entry => entry.Method == "FilePipeBuffered" && entry.Source == Files[0]).Select(entry => entry.Buffer));
        foreach (string method in FilesSuite.AllMethods.Except(
            [.. FilesSuite.Libraries, "FileStreamSync", "PipeReaderCreate", "FilePipe", "FilePipeBuffered"]))
        {
            Assert.Equal(
                [4096, 65536, 1048576],
                hot.Where(entry => entry.Method == method).Select(entry => entry.Buffer));
            Assert.All(
                hot.Where(entry => entry.Method == method),
                entry => Assert.Equal(FilesSuite.LargeSize, entry.Source.Bytes));
        }

        Assert.Equal(
            ["FilePipe 1048576", "FilePipe 65536", "FileStreamSync 1048576", "FileStreamSync 65536"],
            plan.Where(entry => entry is { Cache: CacheState.Cold, Role: null })
                .Select(entry => $"{entry.Method} {entry.Buffer}").Order(StringComparer.Ordinal));
        Assert.All(plan, entry => Assert.Equal(FileOptions.SequentialScan, entry.Options));
    }

    [Fact]
    public void Every_baseline_case_has_a_second_copy_for_the_noise()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            IReadOnlyList<FileCase> plan = Cases(mode);
            Assert.Equal(
                plan.Where(entry => entry is { Method: "FileStreamSync", Role: null })
                    .Select(entry => entry.Parameters).ToHashSet(),
                plan.Where(entry => entry.Role == LabCase.NoiseRole).Select(entry => entry.Parameters).ToHashSet());
        }
    }

    [Fact]
    public void Full_mode_measures_everything_once()
    {
        IReadOnlyList<FileCase> plan = Cases(LabMode.Full);
        Assert.Equal(plan.Count, plan.Select(entry => $"{entry.Name}/{entry.Parameters.Describe()}").Distinct().Count());
        foreach (string method in FilesSuite.AllMethods)
        {
            foreach (TestFile file in Files)
            {
                foreach (CacheState cache in Enum.GetValues<CacheState>())
                {
                    Assert.Equal(
                        FilesSuite.Buffers,
                        plan.Where(entry => entry.Name == method && entry.Source == file && entry.Cache == cache
                                && entry.Options == FileOptions.SequentialScan
                                && entry.Fill is CacheFill.LargeWrites or CacheFill.None)
                            .Select(entry => entry.Buffer).Distinct().Order());
                }
            }
        }

        Assert.Contains(plan, entry => entry.Fill == CacheFill.SmallWrites);
        Assert.Contains(plan, entry => entry.Fill == CacheFill.ReadBack);
        Assert.Contains(plan, entry => entry.Options.HasFlag(FileOptions.Asynchronous));
    }

    [Theory]
    [InlineData(LabMode.Quick)]
    [InlineData(LabMode.Full)]
    public void Floor_and_offsets_have_the_cases_of_all_bars(LabMode mode)
    {
        IReadOnlyList<FileCase> plan = Cases(mode);
        foreach ((TestFile file, bool busy) in Files.SelectMany(file => new[] { (file, false), (file, true) }))
        {
            if (busy && mode == LabMode.Quick)
            {
                continue;
            }

            FileCase[] floor = [.. plan.Where(entry =>
                Floor.Is(entry.Method) && entry.Source == file && entry.IsBusy == busy && entry.Fill == CacheFill.LargeWrites)];
            Assert.Equal(FilesSuite.FloorBlocks, floor.Where(entry => entry.Method == Floor.Read).Select(entry => entry.Buffer));
            Assert.Equal(FilesSuite.FloorMethods, floor.Select(entry => entry.Method).Distinct());
        }

        FileCase[] fixedBlocks = [.. plan.Where(entry => entry.Block != 0)];
        Assert.Equal(FilesSuite.FixedBlocks, fixedBlocks.Select(entry => entry.Block));
        Assert.All(fixedBlocks, entry => Assert.Contains(
            plan, other => other.Method == entry.Method && other.Parameters == entry.Parameters with { Block = null }));
        FileCase[] shifted = [.. plan.Where(entry => entry.Offset != 0)];
        Assert.Equal(FilesSuite.Offsets, shifted.Select(entry => entry.Offset));
        Assert.All(shifted, entry => Assert.Contains(
            plan, other => other.Method == entry.Method && other.Parameters == entry.Parameters with { Offset = null }));
    }

    private static IReadOnlyList<FileCase> Cases(LabMode mode) =>
        [.. new FilesSuite().Select(new LabOptions { Mode = mode }, Files, server: null).Cast<FileCase>()];
}

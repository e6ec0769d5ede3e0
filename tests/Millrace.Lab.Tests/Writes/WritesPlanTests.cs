namespace Millrace.Lab.Tests.Writes;

public sealed class WritesPlanTests
{
    private static readonly WritesInputs Inputs = WritesInputs.In("/data", WritesSuite.LargeSize);

    [Fact]
    public void Full_mode_has_every_method_at_every_chunk_and_both_lengths()
    {
        WriteCase[] plan =
        [
            .. Select(LabMode.Full).OfType<WriteCase>()
                .Where(entry => entry is { IsDurable: false, Role: null } && !Floor.Is(entry.Method)),
        ];
        Assert.Equal(WritesSuite.WriteMethods.Order(), plan.Select(entry => entry.Method).Distinct().Order());
        Assert.Equal([4 << 20, 128 << 20], plan.Select(entry => entry.Bytes).Distinct().Order());
        foreach (IGrouping<(string Method, long Bytes), WriteCase> group in plan.GroupBy(entry => (entry.Method, entry.Bytes)))
        {
            Assert.Equal(
                group.Key.Method == "WriteAllBytes" ? [65536] : Enumerable.Range(9, 12).Select(power => 1 << power),
                group.Select(entry => entry.Chunk).Order());
        }
    }

    [Theory]
    [InlineData(LabMode.Quick)]
    [InlineData(LabMode.Full)]
    public void Every_group_of_cases_has_one_baseline_and_a_second_copy_of_it(LabMode mode)
    {
        string[] baselines = ["FileStreamSync", "FileCopy", "FilePipe", "FilePipeAppend"];
        Assert.All(Select(mode).Where(entry => !Floor.Is(entry.Method) || entry is WriteCase { Chunk: 65536 or 1048576 }).GroupBy(entry => entry.Parameters.WithoutDegree()), group =>
        {
            WritesCase[] found = [.. group.Where(entry => entry.IsBaseline)];
            Assert.Contains(found.Single(entry => entry.Role is null).Method, baselines);
            Assert.Single(found, entry => entry.Role == "noise");
            Assert.Equal(
                found.Length, group.Count(entry => entry.Method == found[0].Method && entry.Parameters == found[0].Parameters));
        });
    }

    [Theory]
    [InlineData(LabMode.Quick)]
    [InlineData(LabMode.Full)]
    public void No_case_is_planned_twice(LabMode mode)
    {
        IReadOnlyList<WritesCase> plan = Select(mode);
        Assert.Distinct(plan.Select(entry => $"{entry.Name}/{entry.Parameters.Describe()}"));
        Assert.Equal(new WritesSuite().Methods.Order(), plan.Select(entry => entry.Method).Distinct().Order());
    }

    [Fact]
    public void Quick_mode_measures_the_cases_of_all_bars()
    {
        string[] ids = [.. Select(LabMode.Quick).Select(entry => $"{entry.Name}/{entry.Parameters.Describe()}")];
        foreach (string bytes in new[] { "4MiB", "128MiB" })
        {
            foreach (int chunk in new[] { 512, 4096, 65536, 1048576 })
            {
                Assert.Contains($"FileStreamSync/{bytes}/{chunk}/none", ids);
                Assert.Contains($"FilePipe/{bytes}/{chunk}/none", ids);
            }

            Assert.Contains($"FileStreamDefaultBuffer/{bytes}/512/none", ids);
            Assert.Contains($"FileStreamSync/{bytes}/65536/commit", ids);
            Assert.Contains($"FilePipe/{bytes}/65536/commit", ids);
        }

        Assert.Contains("FileStreamSync/4KiB/4096/commit", ids);
        foreach (int block in new[] { 262144, 524288, 1048576, 2097152 })
        {
            Assert.Contains($"RawReadTwo/integers/128MiB/hot/blocks of {block}/2 parts", ids);
            Assert.Contains($"RawReadTwo/lines/127.97MiB/hot/blocks of {block}/2 parts", ids);
        }

        Assert.Contains("RawWrite/128MiB/262144/none", ids);
        Assert.Contains("FilePipe/4KiB/4096/commit", ids);
        Assert.Contains("FilePipeCopy/128MiB/hot/none", ids);
        Assert.Contains("FilePipe/integers/128MiB/hot/1 parts", ids);
        Assert.Contains("FilePipeScan/lines/127.97MiB/hot/2 parts", ids);
        Assert.Contains("FilePipeAppend/200KiB/every record/2048 records/64 writers", ids);
    }

    [Fact]
    public void Every_method_of_the_plan_can_be_invoked() => Assert.All(
        Select(LabMode.Full).Where(static entry => OperatingSystem.IsLinux() || !Floor.Is(entry.Method)),
        static entry =>
        {
            using CaseMethod method = entry.Small(Inputs).Create();
            Assert.NotNull(method.Find(entry.Method));
        });

    [Fact]
    public void Filters_select_by_method_durability_and_writers()
    {
        Assert.All(Select(LabMode.Full, "*/commit"), entry => Assert.Equal("commit", entry.Parameters.Durability));
        Assert.Equal([8, 8], Select(LabMode.Full, "*/8 writers").Select(entry => entry.Parameters.Writers));
        Assert.All(Select(LabMode.Full, "FilePipeScan"), entry => Assert.IsType<ScanCase>(entry));
        Assert.Equal([2, 3, 4, 8], Select(LabMode.Full, "FilePipeScan/lines/*").Select(entry => entry.Parameters.Degree!.Value));
        Assert.Throws<NoCaseException>(() => Select(LabMode.Quick, "NoSuchMethod"));
    }

    [Fact]
    public void Every_method_is_planned_twice_in_a_run_against_itself()
    {
        IReadOnlyList<WritesCase> plan = Select(new LabOptions { AgainstItself = true });
        Assert.Equal(plan.Count / 2, plan.Count(entry => entry.Role == "noise"));
        Assert.Equal(plan.Count, 2 * Select(LabMode.Quick).Count(entry => entry.Role is null));
    }

    [Fact]
    public void Warm_ups_are_short_and_of_the_same_method() => Assert.All(Select(LabMode.Full), entry =>
    {
        WritesCase small = entry.Small(Inputs);
        Assert.Equal(entry.Method, small.Method);
        Assert.Equal(entry.IsDurable, small.IsDurable);
        Assert.True(small.Parameters.Bytes <= 512 * 1024);
        Assert.True((small.Parameters.Records ?? 0) <= 8);
        Assert.Equal(0, (small.Parameters.Records ?? 0) % (small.Parameters.Writers ?? 1));
    });

    [Fact]
    public void Every_writer_has_the_same_number_of_records() =>
        Assert.All(Select(LabMode.Full).OfType<AppendCase>(), entry => Assert.Equal(0, entry.Records % entry.Writers));

    [Fact]
    public void Method_names_promise_their_strategy() => Assert.Equal(
        [(nameof(FileWriting.FilePipeDirect), WriteStrategy.Direct), (nameof(FileWriting.FilePipeWriteBehind), WriteStrategy.WriteBehind)],
        Select(LabMode.Full).Where(entry => entry.Strategy is not null)
            .Select(entry => (entry.Method, entry.Strategy!.Value)).Distinct().Order());

    private static IReadOnlyList<WritesCase> Select(LabMode mode, params string[] filters) =>
        Select(new LabOptions { Mode = mode, Filters = filters });

    private static IReadOnlyList<WritesCase> Select(LabOptions options) =>
        [.. new WritesSuite().Select(options, Inputs.Files, server: null).Cast<WritesCase>()];
}

namespace Millrace.Lab.Tests.Bytes;

public sealed class BytesPlanTests
{
    private static readonly BytesSuite Suite = new();
    private static readonly TestFile[] Files =
    [
        new TestFile("/data/small", 32768, 0, Generated: true) { Content = FileContent.Random },
        new TestFile("/data/first", 24000, 0, Generated: true) { Content = FileContent.Csv },
        new TestFile("/data/lines", 23_900_000, 0, Generated: true) { Content = FileContent.Csv },
        new TestFile("/data/large", BytesSuite.Length, 0, Generated: true) { Content = FileContent.Random },
    ];

    [Fact]
    public void Full_mode_has_every_arrival_with_every_walk_from_both_sources()
    {
        IReadOnlyList<ByteCase> plan = Select(LabMode.Full);
        foreach (string source in new[] { "file", "http" })
        {
            Assert.Equal(
                BytesSuite.AllMethods.Where(method => !method.EndsWith(".Lines", StringComparison.Ordinal))
                    .Concat(source == "http" ? UrlSession.Methods : []),
                plan.Where(entry => entry.Source.Name == source && entry is { Buffer: 65536, Readers: 1, Role: null })
                    .Where(entry => entry.Source.File.Content == FileContent.Random)
                    .Select(entry => entry.Method));
        }

        Assert.Equal(28 + 2, BytesSuite.AllMethods.Length);
        Assert.Equal(14, UrlSession.Methods.Count);
        Assert.Equal([4096, 65536, 262144], plan.Select(entry => entry.Buffer).Distinct().Order());
        Assert.Equal([1, 2, 4], plan.Select(entry => entry.Readers).Distinct().Order());
    }

    [Fact]
    public void Every_group_of_cases_has_its_baseline_and_a_second_copy_of_it()
    {
        foreach (LabMode mode in Enum.GetValues<LabMode>())
        {
            Assert.All(Select(mode).GroupBy(entry => entry.Parameters), group =>
            {
                Assert.Contains(group, entry => entry is { Method: "Increments.Span" or "StreamReader.Lines", Role: null });
                Assert.Contains(group, entry => entry is { Method: "Increments.Span" or "StreamReader.Lines", Role: "noise" });
            });
        }
    }

    [Fact]
    public void Quick_mode_measures_the_cases_of_all_bars()
    {
        IReadOnlyList<ByteCase> plan = Select(LabMode.Quick);
        foreach (string method in new[]
            { BytesSuite.PlainSequence, BytesSuite.Sequence, BytesSuite.ArrayFor, BytesSuite.Baseline, BytesSuite.Segments })
        {
            Assert.Contains(plan, entry => entry.Method == method && entry.Source.Name == "file");
            Assert.Contains(plan, entry => entry.Method == method && entry.Source.Name == "http");
        }

        Assert.Contains(plan, entry => entry.Method == BytesSuite.ByteLines);
        Assert.Contains(plan, entry => entry.Method == BytesSuite.TextLines);
    }

    [Fact]
    public void Every_method_of_the_plan_can_be_invoked() => Assert.All(Select(LabMode.Full), entry =>
    {
        using CaseMethod method = entry.Create();
        Assert.NotNull(method.Find(entry.Method));
    });

    [Fact]
    public void Filters_select_by_method_source_content_and_readers()
    {
        Assert.All(Select(LabMode.Full, "*/http/*"), entry => Assert.NotNull(entry.Source.Address));
        Assert.All(Select(LabMode.Full, "*.Lines"), entry => Assert.Equal(FileContent.Csv, entry.Source.File.Content));
        Assert.All(Select(LabMode.Full, "*/4 at once"), entry => Assert.Equal(4, entry.Readers));
        Assert.Equal(
            "MillraceBytes.Vector/file/random/128MiB/4096/hot/1 at once",
            Select(LabMode.Full, "MillraceBytes.Vector/file/*/4096/*").Select(entry => $"{entry.Name}/{entry.Parameters.Describe()}").Single());
    }

    [Fact]
    public void Warm_ups_read_the_small_files_from_the_same_kind_of_source()
    {
        Assert.All(Select(LabMode.Full), entry =>
        {
            var small = (ByteCase)Suite.Small(entry, new LabOptions(), Files);
            Assert.Equal(entry.Source.Name, small.Source.Name);
            Assert.Equal(entry.Source.File.Content, small.Source.File.Content);
            Assert.True(small.Source.File.Bytes <= 32768);
            Assert.NotEqual(entry.Source.Address is null, small.Source.Address?.AbsolutePath == "/0");
        });
    }

    [Fact]
    public void User_file_has_no_line_cases_and_no_content()
    {
        TestFile mine = new("/home/mine.bin", 1000, 0, Generated: false) { Content = FileContent.Random };
        IReadOnlyList<ByteCase> plan = Select(
            [Files[0], mine], LabMode.Full);
        Assert.DoesNotContain(plan, entry => entry.Method.EndsWith(BytesSuite.Lines, StringComparison.Ordinal));
        Assert.All(plan, entry => Assert.Equal("/home/mine.bin", entry.Parameters.File));
    }

    private static IReadOnlyList<ByteCase> Select(LabMode mode, params string[] filters) => Select(Files, mode, filters);

    private static IReadOnlyList<ByteCase> Select(TestFile[] files, LabMode mode, params string[] filters) =>
        [.. Suite.Select(new LabOptions { Mode = mode, Filters = filters }, files, new Uri("http://127.0.0.1:1/")).Cast<ByteCase>()];
}

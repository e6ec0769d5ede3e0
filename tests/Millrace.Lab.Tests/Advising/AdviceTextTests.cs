using Spectre.Console;

namespace Millrace.Lab.Tests.Advising;

public sealed class AdviceTextTests
{
    private static readonly LabResults Committed = ResultsFile.Read(Path.Combine(
        Repository.Root, "results", "intel-xeon-2-cores-linux-6.18", "files", ResultsFile.PackedName));

    // Every way of reading, both options, both files, both states of the cache.
    private static readonly LabResults Whole = Runs.Of(
    [
        .. from bytes in new[] { Runs.Small, Runs.Large }
           from buffer in new[] { 4096, 16384, 65536 }
           from method in new[] { ("FileStreamSync", 1.0), ("FileStreamAsync", 1.3), ("PipeReaderCreate", 1.5), ("FilePipe", 0.6) }
           let ms = (bytes / 1e7 * method.Item2) + (method.Item1 == "FilePipe" ? 0 : bytes / buffer / 3000.0)
           select Runs.Case(
               method.Item1, buffer, ms, bytes, cpu: ms * (method.Item1 == "FilePipe" ? 1.9 : 1), allocated: 500, calls: bytes / buffer),
        Runs.Case("FileStreamSync", 4096, 60, options: Runs.Asynchronous, allocated: 600),
        Runs.Case("FilePipeMapped", 65536, 7, peak: 1 << 20),
        Runs.Case("FilePipeMapped", 65536, 17, fill: "small writes"),
        Runs.Case("FileStreamSync", 65536, 80, cache: "cold", callingThread: 0.95),
        Runs.Case("FilePipe", 65536, 80.1, cache: "cold", callingThread: 0.1),
    ]) with
    { Interrupted = true };

    [Fact]
    public void Advice_matches_the_golden_files()
    {
        Golden.Check("advice.txt", Print(Whole, 80));
        Golden.Check("advice.md", AdviceText.ToMarkdown(Advisor.Advise(Whole), PublishedBeside.Of(Whole)));
        Golden.Check("advice-bytes.txt", Print(ByteRuns.Everything, 80));
        Golden.Check("advice-writes.txt", Print(WriteRuns.Everything, 80));
        Golden.Check("advice-committed.txt", Print(Committed, 80));
    }

    [Theory]
    [InlineData(80)]
    [InlineData(180)]
    public void Sentences_are_not_wider_than_eighty_columns(int width)
    {
        // Commands stay whole, to be copied.
        string[] wide =
        [
            .. Print(Committed, width).Split('\n')
                .Where(line => line.Length > 80 && !line.StartsWith("  to check: ", StringComparison.Ordinal)),
        ];
        Assert.Empty(wide);
    }

    [Fact]
    public void Piped_output_has_no_escape_codes_and_is_the_same_at_any_width()
    {
        string text = Print(Committed, 400);
        Assert.DoesNotContain('\u001b', text);
        Assert.Equal(text, Print(Committed, 1000));
    }

    [Fact]
    public void Commands_are_never_wrapped()
    {
        string text = Print(Committed, 40);
        Assert.All(Advisor.Advise(Committed), item => Assert.Contains($"  to check: {item.Check}\n", text, StringComparison.Ordinal));
    }

    [Fact]
    public void Code_is_printed_in_full_only_once()
    {
        string text = Print(Committed, 400);
        Assert.Single(text.Split("ReadResult result = await reader.ReadAsync();").Skip(1));
        Assert.Contains("await using FilePipeReader reader = FilePipe.OpenRead(path); ...", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Json_has_the_same_advice_and_the_published_ratios()
    {
        using JsonDocument json = JsonDocument.Parse(AdviceDocument.ToJson(Committed));
        JsonElement[] advice = [.. json.RootElement.GetProperty("advice").EnumerateArray()];
        Assert.Equal(
            Advisor.Advise(Committed).Select(item => item.Statement), advice.Select(item => item.GetProperty("statement").GetString()));
        Assert.Equal("Warning", advice[0].GetProperty("kind").GetString());
        Assert.Contains(advice, item =>
            item.TryGetProperty("claim", out JsonElement claim) && claim.GetProperty("holds").GetString() == "No");
        Assert.NotEmpty(json.RootElement.GetProperty("published").EnumerateArray());
    }

    [Fact]
    public void Document_names_every_claim_and_every_data_file()
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "lab-advise.md"));
        PublishedClaim[] claims = [.. PublishedFigures.All.SelectMany(set => set.Claims)];
        Assert.Equal(23, claims.Length);
        Assert.All(claims, claim => Assert.Contains($"`{claim.Topic}`", text, StringComparison.Ordinal));
        Assert.All(PublishedFigures.All, set => Assert.Contains($"`{set.Id}.json`", text, StringComparison.Ordinal));
    }

    [Fact]
    public void Sections_without_advice_are_left_out()
    {
        Assert.Empty(AdviceText.ToMarkdown([], []));
        Assert.Empty(Print([], []));
    }

    [Theory]
    [InlineData("", 10, "")]
    [InlineData("one two three", 7, "one two|three")]
    [InlineData("one extraordinarily long", 8, "one|extraordinarily|long")]
    public void Text_is_broken_at_spaces_only(string text, int width, string expected) =>
        Assert.Equal(expected, string.Join('|', AdviceText.Wrap(text, width)));

    [Fact]
    public void Published_ratios_stand_beside_those_of_the_same_parameters()
    {
        PublishedBeside beside = Assert.Single(
            PublishedBeside.Of(Runs.Of(
                Runs.Case("FileStreamSync", 4096, 20),
                Runs.Case("FileStreamAsync", 4096, 30),
                Runs.Case("FileStreamAsync", 1048576, 30),
                Runs.Case("FileStreamAsync", 4096, 30, cache: "cold"))),
            item => item.Set == "file-pipelines");
        Assert.Equal(("FileStreamAsync", "FileStreamAsync", 1.75, 1.5), (beside.Method, beside.OurMethod, beside.Published, beside.Ours));
        Assert.Equal((4096, 128 << 20, "SequentialScan"), (beside.Parameters.Buffer, beside.Parameters.Bytes, beside.Parameters.Options));
    }

    [Fact]
    public void Published_times_without_ratios_are_held_against_their_fastest_row()
    {
        IReadOnlyList<PublishedBeside> beside = PublishedBeside.Of(ByteRuns.Of(
            ByteRuns.Case("Increments.Span", 10),
            ByteRuns.Case("AllAtOnce.ForEach", 100),
            ByteRuns.Case("AllAtOnce.ForEach", 300, readers: 2),
            ByteRuns.Case("AllAtOnce.ForEach", 400, buffer: 4096)));
        Assert.Equal([765.0 / 36, 1181.0 / 56], beside.Select(item => item.Published));
        Assert.All(beside, item => Assert.Equal(10, item.Ours));
    }

    [Fact]
    public void Published_reading_of_a_file_is_not_held_against_a_connection() => Assert.Empty(PublishedBeside.Of(ByteRuns.Of(
        ByteRuns.Case("Increments.Span", 10, source: "http"), ByteRuns.Case("AllAtOnce.ForEach", 100, source: "http"))));

    [Fact]
    public void Published_ratios_stand_beside_those_of_the_published_methods_themselves()
    {
        IReadOnlyList<PublishedBeside> beside = PublishedBeside.Of(ByteRuns.Of(
            ByteRuns.Case("UrlSessionIncrementalUnsafe", 10, source: "http"),
            ByteRuns.Case("UrlSessionDataForEach", 100, source: "http"),
            ByteRuns.Case("AllAtOnce.ForEach", 300, source: "http")));
        Assert.Equal([765.0 / 36, 1181.0 / 56], beside.Select(item => item.Published));
        Assert.All(beside, item => Assert.Equal(("UrlSessionDataForEach", 10), (item.OurMethod, item.Ours)));
    }

    [Fact]
    public void Every_published_way_but_the_fastest_stands_beside_ours_on_both_machines()
    {
        IReadOnlyList<PublishedBeside> beside = PublishedBeside.Of(ByteRuns.Everything);
        Assert.Equal(26, beside.Count);
        Assert.All(beside, item => Assert.Equal(("file", 1), (item.Parameters.Source, item.Parameters.Readers)));
    }

    [Fact]
    public void Way_without_a_buffer_is_held_against_the_baseline_with_the_usual_one() => Assert.Equal(
        2,
        PublishedBeside.Of(ByteRuns.Of(
            ByteRuns.Case("Increments.Span", 10), ByteRuns.Case("AllAtOnce.ForEach", 100, buffer: null))).Count);

    private static string Print(LabResults results, int width) => Print(Advisor.Advise(results), PublishedBeside.Of(results), width);

    private static string Print(IReadOnlyList<Advice> advice, IReadOnlyList<PublishedBeside> beside, int width = 80)
    {
        using var writer = new StringWriter();
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Ansi = AnsiSupport.No,
            ColorSystem = ColorSystemSupport.NoColors,
            Out = new AnsiConsoleOutput(writer),
        });
        console.Profile.Width = width;
        AdviceText.Write(console, advice, beside);
        return writer.ToString().ReplaceLineEndings("\n");
    }
}

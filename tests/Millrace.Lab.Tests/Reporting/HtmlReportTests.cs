using System.IO.Compression;
using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Reporting;

public sealed class HtmlReportTests
{
    private const string DataBegin = "<script id=\"report-data\" type=\"text/plain\">";
    private const string DataEnd = "</script>";

    private static readonly LabResults Sample = Fixture.Run(
        Fixture.Case("FileStreamSync", 65536, 10),
        Fixture.Case("FileStreamSync", 65536, 10.5) with { Method = "FileStreamSyncAgain", Role = "noise", Baseline = false },
        Fixture.Case("FilePipe", 65536, 5) with { Strategy = "Buffered", StrategyReason = "because" },
        Fixture.Case("FilePipe", 65536, 50, cache: "cold", callingThread: 0.1) with
        {
            Verified = false,
            UnverifiedReason = "not cold",
        },
        Fixture.Case("MemoryMapped", 65536, 1) with
        {
            Error = "IOException: a reason",
            Samples = null,
            Summary = null,
            Verdicts = null,
            Unavailable = null,
        });

    [Fact]
    public void Page_contains_the_stored_run_its_advice_and_published_figures()
    {
        using JsonDocument data = Data(HtmlReport.Write([Sample]));
        JsonElement run = data.RootElement.GetProperty("runs")[0];
        Assert.Equal("millrace.report/2", data.RootElement.GetProperty("schema").GetString());
        JsonElement stored = JsonSerializer.SerializeToElement(Sample, ResultsJson.Default.LabResults);
        Assert.All(
            stored.EnumerateObject().Where(item => item.Name is not ("finding" or "bars")),
            item => Assert.True(JsonElement.DeepEquals(item.Value, run.GetProperty(item.Name)), item.Name));
        Assert.StartsWith("Reading 128 MiB, each with its best buffer, FilePipe is", run.GetProperty("finding").GetString(), StringComparison.Ordinal);
        Assert.Equal(0, run.GetProperty("main").GetInt32());
        Assert.Equal(["FileStreamSync", "FilePipe", "MemoryMapped"], run.GetProperty("methods").EnumerateObject().Select(method => method.Name));
        Assert.Equal(
            Advisor.Advise(Sample).Select(item => item.Title).Order(),
            run.GetProperty("advice").EnumerateArray().Select(item => item.GetProperty("title").GetString()!).Order());
        JsonElement published = data.RootElement.GetProperty("published");
        Assert.Equal(2, published.GetArrayLength());
        Assert.Equal(2048, published[0].GetProperty("rows")[0].GetProperty("parameters").GetProperty("buffer").GetInt32());
    }

    [Theory]
    [InlineData("millrace lab files", false)]
    [InlineData("millrace lab files --fail-under --out results/a", true)]
    public void Targets_are_in_the_reports_of_runs_that_were_asked_for_them(string command, bool expected)
    {
        LabResults results = Sample with
        {
            Command = command,
            Targets =
            [
                new TargetResult { Figure = "a figure", Limit = "≤ 1", Measured = "0.9", Met = true },
                new TargetResult { Figure = "an unmeasured one", Limit = "≤ 1", Measured = "not measured in this run" },
            ],
        };
        using JsonDocument data = Data(HtmlReport.Write([results]));
        Assert.Equal(expected, data.RootElement.GetProperty("runs")[0].TryGetProperty("bars", out _));
        string text = MarkdownReport.Write(results);
        Assert.Equal(expected, text.Contains("a figure", StringComparison.Ordinal));
        Assert.DoesNotContain("an unmeasured one", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Main_group_has_the_most_methods_and_of_several_the_file_of_the_finding()
    {
        CaseResult large = Fixture.Case("FilePipe", 4096, 5);
        CaseResult larger = large with { Parameters = large.Parameters with { Bytes = 512 * ByteSize.MiB } };
        LabResults results = Fixture.Run(
            large with { Parameters = large.Parameters with { Bytes = 4 * ByteSize.MiB } }, larger, large, large with { Method = "FilePipeMapped" });
        Assert.Equal([large.Method, "FilePipeMapped"], CaseGroup.Main([.. CaseGroup.Of(results)])!.Cases.Select(item => item.Method));
        Assert.Same(large, CaseGroup.Main([.. CaseGroup.Of(Fixture.Run(larger, large))])!.Cases[0]);
    }

    public static TheoryData<string> Suites => [.. Lab.Suites.SuiteCatalog.All.Select(suite => suite.Name)];

    [Theory, MemberData(nameof(Suites))]
    public void Every_method_has_a_line_that_says_what_it_is(string suite) => Assert.All(
        Lab.Suites.SuiteCatalog.Find(suite).Methods,
        method => Assert.InRange(MethodTexts.Of(suite, method)?.Length ?? 0, 10, 110));

    [Fact]
    public void Same_results_give_the_same_page() =>
        Assert.Equal(HtmlReport.Write([Sample, Sample]), HtmlReport.Write([Sample, Sample]));

    [Fact]
    public void Every_run_is_in_the_page_in_its_order_with_its_own_advice()
    {
        using JsonDocument data = Data(HtmlReport.Write([Sample with { Suite = "one", Purpose = "null" }, Sample with { Suite = "two" }]));
        Assert.Equal(
            [("one", true), ("two", false)],
            data.RootElement.GetProperty("runs").EnumerateArray().Select(run => (
                run.GetProperty("suite").GetString(),
                run.GetProperty("advice").EnumerateArray().Any(item => item.GetProperty("title").GetString()!
                    .StartsWith("This run measured every method", StringComparison.Ordinal)))));
    }

    [Fact]
    public void Text_of_results_cannot_end_the_data_or_begin_a_script()
    {
        const string Hostile = "</script><script>alert(1)</script><!--";
        LabResults results = Sample with
        {
            Finding = Hostile,
            Warnings = [Hostile],
            Cases = [Sample.Cases[0] with { Method = Hostile, Error = Hostile }],
        };
        string page = HtmlReport.Write([results]);
        Assert.DoesNotContain("alert(1)</", page, StringComparison.Ordinal);
        using JsonDocument data = Data(page);
        JsonElement run = data.RootElement.GetProperty("runs")[0];
        Assert.Equal(Hostile, run.GetProperty("finding").GetString());
        Assert.Equal(Hostile, run.GetProperty("cases")[0].GetProperty("method").GetString());
    }

    [Fact]
    public void Missing_figure_is_absent_rather_than_zero()
    {
        CaseResult item = Fixture.Case("FilePipe", 4096, 5);
        item = item with { Summary = item.Summary! with { PeakOverIdleBytes = null, SystemCalls = null } };
        using JsonDocument data = Data(HtmlReport.Write([Fixture.Run(item)]));
        JsonElement stored = data.RootElement.GetProperty("runs")[0].GetProperty("cases")[0];
        JsonElement summary = stored.GetProperty("summary");
        Assert.False(summary.TryGetProperty("peakOverIdleBytes", out _));
        Assert.False(summary.TryGetProperty("systemCalls", out _));
        Assert.True(summary.TryGetProperty("readCalls", out _));
        Assert.Equal("not permitted", stored.GetProperty("unavailable").GetProperty("systemCalls").GetString());
    }

    [Fact]
    public void Samples_whose_distribution_the_summary_has_are_left_out()
    {
        CaseResult item = Fixture.Case("FilePipe", 4096, 5);
        item = item with
        {
            Summary = item.Summary! with
            {
                Distributions = new Dictionary<string, Distribution> { ["userCpuNs"] = item.Summary.WallNs },
            },
        };
        using JsonDocument data = Data(HtmlReport.Write([Fixture.Run(item)]));
        JsonElement samples = data.RootElement.GetProperty("runs")[0].GetProperty("cases")[0].GetProperty("samples");
        Assert.False(samples.TryGetProperty("userCpuNs", out _));
        Assert.True(samples.TryGetProperty("systemCpuNs", out _));
        Assert.Equal(item.Samples!.WallNs, samples.GetProperty("wallNs").EnumerateArray().Select(value => value.GetDouble()));
    }

    [Fact]
    public void Page_of_the_committed_full_run_is_below_two_megabytes()
    {
        string page = HtmlReport.Write([ResultsFile.Read(Path.Combine(
            Repository.Root, "results", "intel-xeon-2-cores-linux-6.18", "files", ResultsFile.PackedName))]);
        Assert.InRange(page.Length, 500_000, 2_000_000);
        using JsonDocument data = Data(page);
        Assert.True(data.RootElement.GetProperty("runs")[0].GetProperty("cases").GetArrayLength() > 100);
    }

    private static JsonDocument Data(string page)
    {
        int begin = page.IndexOf(DataBegin, StringComparison.Ordinal) + DataBegin.Length;
        int end = page.IndexOf(DataEnd, begin, StringComparison.Ordinal);
        using var gzip = new GZipStream(new MemoryStream(Convert.FromBase64String(page[begin..end])), CompressionMode.Decompress);
        return JsonDocument.Parse(gzip);
    }
}

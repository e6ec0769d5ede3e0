using System.Text.Json;
using Millrace.Lab.Reporting;
using Millrace.Lab.Tests.Results;

namespace Millrace.Lab.Tests.Reporting;

public sealed class HtmlReportTests
{
    private const string DataBegin = "<script id=\"report-data\" type=\"application/json\">";
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

    private static readonly ReportAdvice Advice = new(
        "Advice", "Use a larger buffer", ["64 KiB took half of the time"], "Set BufferSize.", "Measure again.", "BufferSize = 65536");

    private static readonly ReportPublished Published = new(
        "A table",
        "https://example.org/project",
        "Another machine.",
        [new ReportPublishedRow("Theirs", "FilePipe", new Dictionary<string, string> { ["buffer"] = "4096" }, 0.7)]);

    [Fact]
    public void Data_of_the_page_is_as_ever()
    {
        using JsonDocument data = Data(HtmlReport.Write([Sample], _ => [Advice], [Published]));
        string text = JsonSerializer.Serialize(data.RootElement, JsonSerializerOptions.Web);
        Golden.Check("report-data.json", text.Replace("},{", "},\n{", StringComparison.Ordinal));
    }

    [Fact]
    public void Same_results_give_the_same_page() =>
        Assert.Equal(HtmlReport.Write([Sample, Sample]), HtmlReport.Write([Sample, Sample]));

    [Fact]
    public void Every_run_is_in_the_page_in_its_order()
    {
        using JsonDocument data = Data(HtmlReport.Write([Sample with { Suite = "one" }, Sample with { Suite = "two" }]));
        Assert.Equal(
            ["one", "two"],
            data.RootElement.GetProperty("runs").EnumerateArray().Select(run => run.GetProperty("suite").GetString()));
    }

    [Fact]
    public void Advice_is_that_of_its_own_run()
    {
        using JsonDocument data = Data(HtmlReport.Write(
            [Sample with { Suite = "one" }, Sample with { Suite = "two" }],
            run => run.Suite == "two" ? [Advice] : []));
        Assert.Equal(
            [0, 1],
            data.RootElement.GetProperty("runs").EnumerateArray().Select(run => run.GetProperty("advice").GetArrayLength()));
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
        string page = HtmlReport.Write(
            [results], _ => [Advice with { Title = Hostile }], [Published with { Title = Hostile, Notes = Hostile }]);
        Assert.DoesNotContain("alert(1)</", page, StringComparison.Ordinal);
        using JsonDocument data = Data(page);
        JsonElement run = data.RootElement.GetProperty("runs")[0];
        Assert.Equal(Hostile, run.GetProperty("finding").GetString());
        Assert.Equal(Hostile, run.GetProperty("cases")[0].GetProperty("method").GetString());
    }

    [Fact]
    public void Case_without_a_figure_has_none_rather_than_zero()
    {
        CaseResult item = Fixture.Case("FilePipe", 4096, 5);
        item = item with { Summary = item.Summary! with { PeakOverIdleBytes = null, SystemCalls = null } };
        using JsonDocument data = Data(HtmlReport.Write([Fixture.Run(item)]));
        JsonElement run = data.RootElement.GetProperty("runs")[0];
        string?[] fields = [.. run.GetProperty("fields").EnumerateArray().Select(field => field.GetString())];
        Assert.DoesNotContain("peakOverIdleBytes", fields);
        Assert.DoesNotContain("systemCalls", fields);
        Assert.Contains("readCalls", fields);
        Assert.Equal(
            "not permitted",
            run.GetProperty("texts")[run.GetProperty("cases")[0].GetProperty("unavailable").GetProperty("systemCalls").GetInt32()]
                .GetString());
    }

    [Fact]
    public void Committed_run_of_an_older_shape_is_reported_with_the_percentiles_of_its_meters()
    {
        LabResults results = ResultsFile.Read(Path.Combine(
            Repository.Root, "results", "intel-xeon-2-cores-linux-6.18", "files", ResultsFile.Name));
        using JsonDocument data = Data(HtmlReport.Write([results]));
        JsonElement run = data.RootElement.GetProperty("runs")[0];
        int meter = run.GetProperty("meterNames").EnumerateArray().ToList().FindIndex(name => name.GetString() == "systemCpuNs");
        Assert.Equal(results.Cases.Count, run.GetProperty("cases").GetArrayLength());
        Assert.All(
            run.GetProperty("cases").EnumerateArray(),
            item => Assert.Equal(8, item.GetProperty("meters").GetProperty($"{meter}").GetArrayLength()));
    }

    private static JsonDocument Data(string page)
    {
        int begin = page.IndexOf(DataBegin, StringComparison.Ordinal) + DataBegin.Length;
        int end = page.IndexOf(DataEnd, begin, StringComparison.Ordinal);
        return JsonDocument.Parse(page[begin..end]);
    }
}

using System.IO.Compression;
using System.Reflection;
using System.Text.Json.Nodes;

namespace Millrace.Lab.Reporting;

/// <summary>
/// Writes report.html: one file that needs no network and nothing else than results. The same results give the same bytes.
/// The page itself is built from web/ and is a part of this assembly.
/// </summary>
internal static class HtmlReport
{
    /// <summary>The file's name within an output folder.</summary>
    public const string Name = "report.html";
    private const string Schema = "millrace.report/2";
    private const string Resource = "Millrace.Lab.Reporting.Web.report.html";

    // web/index.html has it once.
    private const string Placeholder = "@REPORT_DATA@";

    /// <summary>Writes a page with a section for each run, in the order of the runs.</summary>
    public static string Write(IReadOnlyList<LabResults> runs)
    {
        using Stream stream = Assembly.GetExecutingAssembly().GetManifestResourceStream(Resource)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd().Replace(Placeholder, Data(runs), StringComparison.Ordinal);
    }

    // JSON compressed with gzip, in base 64: nothing in it can end the script element.
    private static string Data(IReadOnlyList<LabResults> runs)
    {
        var data = new JsonObject
        {
            ["schema"] = Schema,
            ["runs"] = new JsonArray([.. runs.Select(Run)]),
            ["machines"] = JsonSerializer.SerializeToNode(MachinesSideBySide.Of(runs), ReportJson.Default.IReadOnlyListMachinesSideBySide),
            ["published"] = JsonSerializer.SerializeToNode(Published(runs), ReportJson.Default.IReadOnlyListReportPublished),
        };
        using var buffer = new MemoryStream();
        using (var gzip = new GZipStream(buffer, CompressionLevel.SmallestSize, leaveOpen: true))
        using (var json = new Utf8JsonWriter(gzip))
        {
            data.WriteTo(json);
        }

        return Convert.ToBase64String(buffer.GetBuffer().AsSpan(0, (int)buffer.Length));
    }

    // A run as results.json has it, with its advice, and without the lists of samples whose distribution the summary has.
    private static JsonObject Run(LabResults run)
    {
        JsonObject json = JsonSerializer.SerializeToNode(run, ResultsJson.Default.LabResults)!.AsObject();
        json["finding"] = ReportedFinding.Of(run);
        json["methods"] = JsonSerializer.SerializeToNode(MethodTexts.Of(run), ReportJson.Default.IReadOnlyDictionaryStringString);
        json["main"] = CaseGroup.Main([.. CaseGroup.Of(run)])?.Cases[0] is { } first ? run.Cases.Index().First(item => item.Item == first).Index : null;
        if (!run.FailsUnderTargets())
        {
            json.Remove("bars");
        }

        json["advice"] = JsonSerializer.SerializeToNode(AdviceOf(run), ReportJson.Default.IReadOnlyListReportAdvice);
        foreach (JsonObject item in json["cases"]!.AsArray().OfType<JsonObject>())
        {
            foreach ((string meter, _) in item["summary"]?["distributions"]?.AsObject() ?? [])
            {
                item["samples"]?.AsObject().Remove(meter);
                item["samples"]?["passes"]?.AsObject().Remove(meter);
            }
        }

        return json;
    }

    private static IReadOnlyList<ReportAdvice> AdviceOf(LabResults run) =>
    [
        .. from section in AdviceText.Sections(Advisor.Advise(run))
           from advice in section.Advice
           select new ReportAdvice(
               section.Title,
               advice.Title,
               [.. advice.Claim?.Reason is { } reason ? [reason] : Array.Empty<string>(), .. advice.EvidenceTexts],
               advice.Action,
               advice.Check,
               advice.Code,
               advice.Claim is not null,
               advice.IsAboutTrust),
    ];

    // The published figures of the suites of the runs, a table each.
    private static IReadOnlyList<ReportPublished> Published(IReadOnlyList<LabResults> runs) =>
    [
        .. from suite in runs.Select(run => run.Suite).Distinct()
           from set in PublishedFigures.For(suite)
           from table in set.Tables
           let rows = Rows(table)
           where rows.Count > 0
           select new ReportPublished(
               set.Tables.Count == 1 ? set.Title : $"{set.Title}: {table.Name}",
               set.Source,
               $"{table.Machine}; {table.Runtime}; {table.Engine}. {string.Join(" ", set.Notes)}",
               rows),
    ];

    private static IReadOnlyList<ReportPublishedRow> Rows(PublishedTable table) =>
    [
        .. from row in table.Rows
           let ratio = table.Ratio(row)
           where ratio is not null
           select new ReportPublishedRow(row.Method, row.OurMethod, row.Parameters, ratio.Value),
    ];
}

/// <param name="OfOthers">Whether it tests a published conclusion here.</param>
/// <param name="IsWarning">Whether it reduces the value of the run's figures.</param>
internal sealed record ReportAdvice(
    string Section, string Title, IReadOnlyList<string> Evidence, string Action, string Check, string? Code, bool OfOthers, bool IsWarning);

internal sealed record ReportPublished(string Title, string Source, string Notes, IReadOnlyList<ReportPublishedRow> Rows);

/// <param name="Ratio">Its time by that of the table's baseline; below 1 is faster.</param>
internal sealed record ReportPublishedRow(string Method, string? OurMethod, CaseParameters Parameters, double Ratio);

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(IReadOnlyList<MachinesSideBySide>))]
[JsonSerializable(typeof(IReadOnlyDictionary<string, string>))]
[JsonSerializable(typeof(IReadOnlyList<ReportAdvice>))]
[JsonSerializable(typeof(IReadOnlyList<ReportPublished>))]
internal sealed partial class ReportJson : JsonSerializerContext;

using System.Buffers;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Unicode;

namespace Millrace.Lab.Reporting.Html;

/// <summary>
/// The data of report.html: a run as results.json has it, but its cases as <see cref="CasePayload"/> writes them. Nothing in
/// it ends a script element: the encoder escapes every &lt;.
/// </summary>
internal static class ReportPayload
{
    private const string Schema = "millrace.report/1";

    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.Create(UnicodeRanges.All) };

    /// <summary>Writes it.</summary>
    public static string Write(
        IReadOnlyList<LabResults> runs,
        Func<LabResults, IReadOnlyList<ReportAdvice>>? advise,
        IReadOnlyList<ReportPublished> published)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, Options))
        {
            json.WriteStartObject();
            json.WriteString("schema", Schema);
            json.WriteStartArray("runs");
            foreach (LabResults run in runs)
            {
                WriteRun(json, run, advise?.Invoke(run) ?? []);
            }

            json.WriteEndArray();
            json.WritePropertyName("published");
            JsonSerializer.Serialize(json, published, PayloadJson.Default.IReadOnlyListReportPublished);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(buffer.WrittenSpan);
    }

    private static void WriteRun(Utf8JsonWriter json, LabResults run, IReadOnlyList<ReportAdvice> advice)
    {
        json.WriteStartObject();
        JsonElement facts = JsonSerializer.SerializeToElement(run with { Cases = [] }, ResultsJson.Default.LabResults);
        foreach (JsonProperty property in facts.EnumerateObject().Where(property => property.Name != "cases"))
        {
            property.WriteTo(json);
        }

        json.WritePropertyName("advice");
        JsonSerializer.Serialize(json, advice, PayloadJson.Default.IReadOnlyListReportAdvice);
        var cases = new CasePayload();
        json.WriteStartArray("cases");
        foreach (CaseResult item in run.Cases)
        {
            cases.Write(json, item);
        }

        json.WriteEndArray();
        WriteTexts(json, "texts", cases.Texts);
        WriteTexts(json, "fields", cases.Fields);
        WriteTexts(json, "meterNames", cases.Meters);
        json.WriteStartArray("orders");
        foreach (string order in cases.Orders.Items)
        {
            json.WriteRawValue($"[{order}]");
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void WriteTexts(Utf8JsonWriter json, string name, IndexedList list)
    {
        json.WriteStartArray(name);
        foreach (string text in list.Items)
        {
            json.WriteStringValue(text);
        }

        json.WriteEndArray();
    }
}

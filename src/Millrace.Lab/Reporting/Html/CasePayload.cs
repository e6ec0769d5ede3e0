using System.Text.Json;

namespace Millrace.Lab.Reporting.Html;

/// <summary>Writes a case as the page reads it: what it shows and no more. web/src/model/payload.ts has the same shape.</summary>
internal sealed class CasePayload
{
    /// <summary>Reasons that many cases share.</summary>
    public IndexedList Texts { get; } = new();

    /// <summary>The names of the values of a case, in their order.</summary>
    public IndexedList Fields { get; } = new();

    /// <summary>The names of the meters that a case has a distribution of.</summary>
    public IndexedList Meters { get; } = new();

    /// <summary>In which launches and rounds samples were taken: nearly all cases have the same.</summary>
    public IndexedList Orders { get; } = new();

    /// <summary>Writes a case.</summary>
    public void Write(Utf8JsonWriter json, CaseResult item)
    {
        json.WriteStartObject();
        json.WriteString("method", item.Method);
        WriteFlag(json, "own", MethodKind.IsOwn(item.Method));
        WriteFlag(json, "baseline", item.Baseline);
        WriteFlag(json, "noise", item.Role is not null);
        WriteFlag(json, "unverified", !item.Verified && item.Error is null);
        WriteText(json, "unverifiedReason", item.UnverifiedReason);
        WriteText(json, "error", item.Error ?? (item.Summary is null ? "too few samples" : null));
        json.WritePropertyName("parameters");
        JsonSerializer.Serialize(json, item.Parameters, ResultsJson.Default.CaseParameters);
        WriteText(json, "strategy", item.Strategy);
        WriteText(json, "strategyReason", item.StrategyReason);
        WriteSamples(json, item.Samples);
        if (item.Summary is { } summary)
        {
            WriteSummary(json, summary);
        }

        WriteNumbers(json, "ratio", CaseRatio.Of(item) is { } ratio ? [ratio.Value, ratio.Low, ratio.High] : []);
        WriteVerdicts(json, item.Verdicts ?? []);
        WriteDistributions(json, MeterSamples.Describe(item));
        WriteUnavailable(json, item.Unavailable);
        json.WriteEndObject();
    }

    private static void WriteFlag(Utf8JsonWriter json, string name, bool value)
    {
        if (value)
        {
            json.WriteBoolean(name, true);
        }
    }

    private void WriteText(Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
        {
            json.WriteNumber(name, Texts.IndexOf(text));
        }
    }

    private static void WriteNumbers(Utf8JsonWriter json, string name, IEnumerable<double?> numbers)
    {
        double?[] all = [.. numbers];
        if (all.Length > 0)
        {
            json.WritePropertyName(name);
            WriteList(json, all);
        }
    }

    private static void WriteList(Utf8JsonWriter json, IEnumerable<double?> numbers)
    {
        json.WriteStartArray();
        foreach (double? number in numbers)
        {
            WriteNumber(json, number);
        }

        json.WriteEndArray();
    }

    private static void WriteNumber(Utf8JsonWriter json, double? number)
    {
        if (number is { } value && double.IsFinite(value))
        {
            json.WriteNumberValue(Significant.Four(value));
        }
        else
        {
            json.WriteNullValue();
        }
    }

    private void WriteSamples(Utf8JsonWriter json, CaseSamples? samples)
    {
        if (samples is null)
        {
            return;
        }

        json.WriteNumber("order", Orders.IndexOf(RunLengths.Of(samples.Launch) + "," + RunLengths.Of(samples.Round)));
        json.WritePropertyName("samples");
        PackedSamples.Write(json, samples.WallNs);
        WriteNumbers(json, "notVerified", samples.Unverified?.Select(index => (double?)index) ?? []);
        if (MedianInterval.Of(samples.WallNs) is var (low, high))
        {
            WriteNumbers(json, "interval", [low, high]);
        }
    }

    // Every number of the summary by its name, so that a suite's own ones are there, too.
    private void WriteSummary(Utf8JsonWriter json, CaseSummary summary)
    {
        var values = new SortedDictionary<int, double>();
        JsonElement all = JsonSerializer.SerializeToElement(summary, ResultsJson.Default.CaseSummary);
        foreach (JsonProperty property in all.EnumerateObject())
        {
            if (property.Value.ValueKind == JsonValueKind.Number)
            {
                values[Fields.IndexOf(property.Name)] = property.Value.GetDouble();
            }
        }

        WriteText(json, "bytesFrom", summary.BytesFrom);
        WriteNumbers(
            json,
            "values",
            Enumerable.Range(0, values.Count == 0 ? 0 : values.Keys.Max() + 1)
                .Select(index => values.TryGetValue(index, out double value) ? value : (double?)null));
    }

    private void WriteVerdicts(Utf8JsonWriter json, IReadOnlyList<VerdictResult> verdicts)
    {
        if (verdicts.Count == 0)
        {
            return;
        }

        json.WriteStartArray("verdicts");
        foreach (VerdictResult verdict in verdicts)
        {
            json.WriteStartArray();
            json.WriteNumberValue(Texts.IndexOf(verdict.Metric));
            json.WriteNumberValue(Texts.IndexOf(verdict.Against));
            json.WriteNumberValue(Texts.IndexOf(verdict.Verdict));
            WriteNumber(json, verdict.Better switch { true => 1, false => 0, null => null });
            WriteNumber(json, verdict.Ratio);
            WriteNumber(json, verdict.Low);
            WriteNumber(json, verdict.High);
            WriteNumber(json, verdict.Threshold);
            WriteNumber(json, verdict.Reason is { } reason ? Texts.IndexOf(reason) : null);
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    // n, then p0 p25 p50 p75 p90 p99 p100; only n and the value where all samples were the same.
    private void WriteDistributions(Utf8JsonWriter json, Dictionary<string, Distribution> distributions)
    {
        if (distributions.Count == 0)
        {
            return;
        }

        json.WriteStartObject("meters");
        foreach ((string name, Distribution d) in distributions)
        {
            json.WritePropertyName(Meters.IndexOf(name).ToString(System.Globalization.CultureInfo.InvariantCulture));
            WriteList(json, d.Min == d.Max ? [d.N, d.Min] : [d.N, d.Min, d.P25, d.Median, d.P75, d.P90, d.P99, d.Max]);
        }

        json.WriteEndObject();
    }

    private void WriteUnavailable(Utf8JsonWriter json, IReadOnlyDictionary<string, string>? unavailable)
    {
        if (unavailable is null || unavailable.Count == 0)
        {
            return;
        }

        json.WriteStartObject("unavailable");
        foreach ((string meter, string reason) in unavailable)
        {
            json.WriteNumber(meter, Texts.IndexOf(reason));
        }

        json.WriteEndObject();
    }
}

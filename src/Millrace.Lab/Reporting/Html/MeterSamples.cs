using System.Text.Json;
using BenchmarkDotNet.Mathematics;

namespace Millrace.Lab.Reporting.Html;

/// <summary>The distribution of every meter of a case.</summary>
internal static class MeterSamples
{
    // Lists that say which sample it is, or how sure, and measure nothing.
    private static readonly HashSet<string> NoMeters =
        new(StringComparer.Ordinal) { "launch", "round", "unverified", "allocatedObjectsStdDev" };

    /// <summary>By the meter's name; from the summary, and from the samples where an older file's summary has none.</summary>
    public static Dictionary<string, Distribution> Describe(CaseResult item)
    {
        var found = new Dictionary<string, Distribution>(StringComparer.Ordinal);
        if (item.Summary is { } summary)
        {
            found["wallNs"] = summary.WallNs;
            foreach ((string name, Distribution distribution) in summary.Distributions ?? new Dictionary<string, Distribution>())
            {
                found[name] = distribution;
            }
        }

        if (item.Samples is { } samples)
        {
            AddMissing(found, JsonSerializer.SerializeToElement(samples, ResultsJson.Default.CaseSamples));
        }

        return found;
    }

    private static void AddMissing(Dictionary<string, Distribution> found, JsonElement samples)
    {
        foreach (JsonProperty property in samples.EnumerateObject())
        {
            if (property.Value.ValueKind == JsonValueKind.Object)
            {
                AddMissing(found, property.Value);
            }
            else if (!NoMeters.Contains(property.Name)
                && !found.ContainsKey(property.Name)
                && property.Value.GetArrayLength() > 0)
            {
                double[] values = [.. property.Value.EnumerateArray().Select(value => value.GetDouble())];
                found[property.Name] = Summarizer.Describe(new Statistics(values));
            }
        }
    }
}

using System.Text.Json.Serialization.Metadata;
using System.Text.RegularExpressions;

namespace Millrace.Lab.Tests.Results;

public sealed class SchemaDocumentTests
{
    [Fact]
    public void Document_names_exactly_the_fields_of_the_schema()
    {
        string text = File.ReadAllText(Path.Combine(Repository.Root, "docs", "results-schema.md"));
        string[] documented =
        [
            .. Regex.Matches(text, @"^\| `(?<path>[^`]+)` \|", RegexOptions.Multiline | RegexOptions.ExplicitCapture)
                .Select(match => match.Groups["path"].Value),
        ];
        var written = new List<string>();
        Collect(ResultsJson.Default.LabResults, "", written);
        Assert.Equal(documented.Length, documented.Distinct().Count());
        Assert.Equal(written.Order(StringComparer.Ordinal), documented.Order(StringComparer.Ordinal));
    }

    private static void Collect(JsonTypeInfo type, string prefix, List<string> paths)
    {
        foreach (JsonPropertyInfo property in type.Properties)
        {
            string path = prefix + property.Name;
            paths.Add(path);
            JsonTypeInfo value = ResultsJson.Default.GetTypeInfo(property.PropertyType)!;
            if (value.Kind == JsonTypeInfoKind.Enumerable)
            {
                value = ResultsJson.Default.GetTypeInfo(value.ElementType!)!;
                path += "[]";
            }

            // The same object in two places is described once.
            if (value.Kind == JsonTypeInfoKind.Object && path != "noise[].parameters")
            {
                Collect(value, path + ".", paths);
            }
        }
    }
}

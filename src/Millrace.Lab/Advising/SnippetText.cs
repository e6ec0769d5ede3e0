using System.Text.RegularExpressions;

namespace Millrace.Lab.Advising;

/// <summary>The text of the lines in <see cref="Snippets"/>.</summary>
internal static partial class SnippetText
{
    private static readonly string[] Resources =
    [
        "Millrace.Lab.Advising.Snippets.cs",
        "Millrace.Lab.Advising.Snippets.Bytes.cs",
        "Millrace.Lab.Advising.Snippets.Writes.cs",
    ];

    private const string Buffer = "65536";

    private static readonly Lazy<Dictionary<string, string>> All = new(Load);

    public static IEnumerable<string> Names => All.Value.Keys;

    /// <summary>The lines that read as a method of the laboratory does, with a buffer where they have one.</summary>
    /// <returns>Null where there are none, as for methods not to be copied.</returns>
    public static string? Of(string method, int? buffer = null)
    {
        // The framework's mapping kills the process when the file is truncated; ours does the same and survives.
        string name = method == "MemoryMapped" ? "FilePipeMapped" : method;
        return All.Value.TryGetValue(name, out string? text) && buffer is { } bytes
            ? text.Replace(Buffer, bytes.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal)
            : text;
    }

    private static Dictionary<string, string> Load()
    {
        var all = new Dictionary<string, string>();
        foreach (string resource in Resources)
        {
            using Stream stream = typeof(SnippetText).Assembly.GetManifestResourceStream(resource)!;
            using var reader = new StreamReader(stream);
            foreach (Match snippet in Snippet().Matches(reader.ReadToEnd().ReplaceLineEndings("\n")))
            {
                // The body of a method is indented by eight.
                IEnumerable<string> lines = snippet.Groups["lines"].Value.Split('\n').Select(line => line.Length > 8 ? line[8..] : "");
                all.Add(snippet.Groups["name"].Value, string.Join('\n', lines).Trim());
            }
        }

        return all;
    }

    [GeneratedRegex(@"// snippet: (?<name>.+)\n(?<lines>[\s\S]*?)\n *// snippet: end")]
    private static partial Regex Snippet();
}

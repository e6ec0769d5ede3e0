namespace Millrace.Lab.Advising;

/// <summary>The text of the lines in <see cref="Snippets"/>.</summary>
internal static class SnippetText
{
    private static readonly string[] Resources =
    [
        "Millrace.Lab.Advising.Snippets.cs",
        "Millrace.Lab.Advising.Snippets.Bytes.cs",
        "Millrace.Lab.Advising.Snippets.Writes.cs",
    ];

    private const string Begin = "// snippet: ";
    private const string End = "// snippet: end";
    private const string Buffer = "65536";

    private static readonly Lazy<Dictionary<string, string>> All = new(Load);

    public static IEnumerable<string> Names => All.Value.Keys;

    /// <summary>The lines that read as a method of the laboratory does, with a buffer where they have one.</summary>
    /// <returns>Null where there are none, as for methods that nobody should copy.</returns>
    public static string? Of(string method, int? buffer = null)
    {
        // The framework's mapping kills the process when somebody truncates the file; ours does the same and survives.
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
            Load(reader, all);
        }

        return all;
    }

    private static void Load(StreamReader reader, Dictionary<string, string> all)
    {
        List<string>? lines = null;
        string name = "";
        while (reader.ReadLine() is { } line)
        {
            string text = line.Trim();
            if (text == End && lines is not null)
            {
                all.Add(name, string.Join('\n', lines).Trim());
                lines = null;
            }
            else if (text.StartsWith(Begin, StringComparison.Ordinal))
            {
                name = text[Begin.Length..];
                lines = [];
            }
            else
            {
                // The body of a method is indented by eight.
                lines?.Add(line.Length > 8 ? line[8..] : "");
            }
        }
    }
}

using System.Reflection;
using System.Text.Json;

namespace Millrace.Lab.Published;

/// <summary>The figures of other projects that the laboratory's are held against; they are data files in this assembly.</summary>
internal static class PublishedFigures
{
    private const string Folder = "Millrace.Lab.Published.";

    private static readonly Lazy<IReadOnlyList<PublishedSet>> Sets = new(Load);

    /// <summary>All of them, by their short names.</summary>
    public static IReadOnlyList<PublishedSet> All => Sets.Value;

    /// <summary>Those that a suite's rows correspond to.</summary>
    public static IReadOnlyList<PublishedSet> For(string suite) => [.. All.Where(item => item.Suite == suite)];

    /// <summary>One of them.</summary>
    /// <exception cref="KeyNotFoundException">There is none of that short name.</exception>
    public static PublishedSet Get(string id) => All.FirstOrDefault(item => item.Id == id)
        ?? throw new KeyNotFoundException($"There are no published figures \"{id}\".");

    private static PublishedSet[] Load()
    {
        Assembly assembly = typeof(PublishedFigures).Assembly;
        return
        [
            .. assembly.GetManifestResourceNames()
                .Where(name => name.StartsWith(Folder, StringComparison.Ordinal))
                .Select(name => Read(assembly, name))
                .OrderBy(set => set.Id, StringComparer.Ordinal),
        ];
    }

    private static PublishedSet Read(Assembly assembly, string name)
    {
        using Stream stream = assembly.GetManifestResourceStream(name)!;
        return JsonSerializer.Deserialize(stream, PublishedJson.Default.PublishedSet)!;
    }
}

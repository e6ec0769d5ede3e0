using System.Reflection;

namespace Millrace.Lab.Published;

/// <summary>The figures of other projects that the laboratory's are compared with; data files in this assembly.</summary>
internal static class PublishedFigures
{
    private const string Folder = "Millrace.Lab.Published.";

    private static readonly Lazy<IReadOnlyList<PublishedSet>> Sets = new(Load);

    public static IReadOnlyList<PublishedSet> All => Sets.Value;

    public static IReadOnlyList<PublishedSet> For(string suite) => [.. All.Where(item => item.Suite == suite)];

    /// <exception cref="KeyNotFoundException">There is none with that id.</exception>
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

/// <summary>What another project published, typed from its tables.</summary>
internal sealed record PublishedSet
{
    public required string Id { get; init; }

    /// <summary>The laboratory's suite whose rows correspond.</summary>
    public required string Suite { get; init; }
    public required string Title { get; init; }
    public required string Source { get; init; }

    /// <summary>ISO 8601; null where the original does not say.</summary>
    public string? Date { get; init; }

    /// <summary>Context for readers of the figures, and known errors in them.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>What its authors concluded, and how to test that here.</summary>
    public IReadOnlyList<PublishedClaim> Claims { get; init => field = value ?? []; } = [];
    public required IReadOnlyList<PublishedTable> Tables { get; init; }
}

/// <summary>One table of figures, measured on one machine.</summary>
internal sealed record PublishedTable
{
    public required string Name { get; init; }
    public required string Machine { get; init; }
    public required string Runtime { get; init; }
    public required string Engine { get; init; }

    /// <summary>The method that the column "ratio" is against; null where there is no such column.</summary>
    public string? Baseline { get; init; }
    public required IReadOnlyList<PublishedColumn> Columns { get; init; }
    public required IReadOnlyList<UnmatchedMethod> Unmatched { get; init; }
    public required IReadOnlyList<PublishedRow> Rows { get; init; }

    public string? TimeColumn => Array.Find(["mean", "wall"], name => Columns.Any(column => column.Name == name));

    /// <returns>Null where the original has none, because the case failed or the table lacks the column.</returns>
    public double? Figure(PublishedRow row, string column)
    {
        int index = Columns.ToList().FindIndex(item => item.Name == column);
        return index < 0 ? null : row.Values[index];
    }

    /// <summary>The baseline's row with the parameters of another; null where there is none.</summary>
    public PublishedRow? BaselineOf(PublishedRow row) =>
        Rows.FirstOrDefault(other => other.Method == Baseline && other.Parameters == row.Parameters);

    /// <summary>A row's ratio to the baseline, or to the fastest row where the table has no ratios.</summary>
    public double? Ratio(PublishedRow row) => (Baseline, TimeColumn) switch
    {
        (not null, _) => Figure(row, "ratio"),
        (null, { } time) => Figure(row, time) / Rows.Min(item => Figure(item, time)),
        _ => null,
    };
}

/// <param name="Unit">As published: "us", "ms", "KB" (1024 bytes), "MB", "1" for a number without one.</param>
internal sealed record PublishedColumn(string Name, string Unit, string Meaning);

internal sealed record PublishedRow
{
    public required string Method { get; init; }

    /// <summary>The laboratory's row that does the same; null where there is none, with a reason in the table.</summary>
    public required string? OurMethod { get; init; }
    public required CaseParameters Parameters { get; init; }
    public string? Metric { get; init; }

    /// <summary>The figures in the order of the table's columns; null where the original has none.</summary>
    public required IReadOnlyList<double?> Values { get; init; }
}

/// <param name="Reason">Why the laboratory has no such row, and the nearest one.</param>
internal sealed record UnmatchedMethod(string Method, string Reason);

/// <summary>A conclusion of the authors of published figures, and how the laboratory tests it.</summary>
internal sealed record PublishedClaim
{
    public required string Topic { get; init; }
    public required string Says { get; init; }

    /// <summary>The suites whose runs can test it; null for the suite of the set.</summary>
    public IReadOnlyList<string>? Suites { get; init; }

    /// <summary>Which test of ClaimEvaluator decides.</summary>
    public required string Test { get; init; }

    /// <summary>The methods, walks or arrivals that the conclusion is about.</summary>
    public IReadOnlyList<string> Mine { get; init => field = value ?? []; } = [];
    public string? Other { get; init; }

    /// <summary>A bound of the test, in its own unit.</summary>
    public double? Limit { get; init; }

    /// <summary>The finding here; names in braces are filled in by the test.</summary>
    public required TextByOutcome Finding { get; init; }
    public required string Missing { get; init; }
    public required TextByOutcome Action { get; init; }
    public string? Snippet { get; init; }

    /// <summary>Whether only full mode measures the test's cases.</summary>
    public bool Full { get; init; }
    public required IReadOnlyList<string> Again { get; init; }
}

/// <summary>Texts by how many cases agree with a conclusion: all, some, or none.</summary>
internal sealed record TextByOutcome(string? Always, string? Sometimes, string? Otherwise)
{
    public string Of(Outcome outcome) =>
        ((outcome == Outcome.Always ? Always : null) ?? (outcome == Outcome.Never ? null : Sometimes) ?? Otherwise)!;
}

internal enum Outcome
{
    Always,
    Sometimes,
    Never,
}

// A misspelt field is an error, not a lost figure.
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UnmappedMemberHandling = JsonUnmappedMemberHandling.Disallow,
    RespectNullableAnnotations = true)]
[JsonSerializable(typeof(PublishedSet))]
internal sealed partial class PublishedJson : JsonSerializerContext;

namespace Millrace.Lab.Results;

/// <summary>The rows that only make the necessary calls, and the distance of every other row of the same work from the fastest of them.</summary>
internal static class Floor
{
    /// <summary>How the names of these rows begin. Advice and findings leave them out: programs do not contain such code.</summary>
    public const string Prefix = "Raw";
    public const string Read = "RawRead";
    public const string ReadTwo = "RawReadTwo";
    public const string Map = "RawMap";

    /// <summary>Reads no file, so nothing is compared with it.</summary>
    public const string Sum = "RawSum";
    public const string Write = "RawWrite";
    public const string Sockets = "RawSockets";

    /// <summary>The calls of these rows have another form elsewhere.</summary>
    public const string WhyNot = "they call Linux";

    public static bool Is(string method) => method.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>Adds to every summary its median by that of the fastest such row.</summary>
    public static IReadOnlyList<CaseResult> AddRatios(IReadOnlyList<CaseResult> cases)
    {
        Dictionary<CaseParameters, double> floors = cases
            .Where(item => item is { Summary: not null, Role: null } && Is(item.Method) && item.Method != Sum)
            .GroupBy(item => Work(item.Parameters))
            .ToDictionary(group => group.Key, group => group.Min(Figures.Median));
        return floors.Count == 0
            ? cases
            :
            [
                .. cases.Select(item => item.Summary is { } summary && floors.TryGetValue(Work(item.Parameters), out double floor)
                    ? item with { Summary = summary with { FloorRatio = summary.WallNs.Median / floor } }
                    : item),
            ];
    }

    // Cases of the same work move the same bytes from and to the same places.
    private static CaseParameters Work(CaseParameters parameters) => parameters.WithoutDegree() with
    {
        Buffer = null,
        Chunk = null,
        Options = null,
        Offset = null,
        Block = null,
        Compression = null,
        Digest = null,
        Durability = parameters.Durability == "none" ? null : parameters.Durability,
    };
}

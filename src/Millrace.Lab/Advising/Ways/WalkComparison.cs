using Millrace.Lab.Advising.Claims;

namespace Millrace.Lab.Advising.Ways;

/// <summary>Some walks against another of the same arrival, on every source.</summary>
internal sealed class WalkComparison
{
    private readonly IReadOnlyList<(WaySource Source, string Walk, Comparisons Found)> _parts;

    /// <summary>Compares.</summary>
    public WalkComparison(SituatedCases cases, IReadOnlyList<string> walks, string other)
    {
        IReadOnlyList<WaySource> sources = WaySource.Of(cases);
        Other = other;
        All = Comparisons.Of(
            sources.SelectMany(source => walks.SelectMany(walk => source.Pairs(walk, other))), cases.Judge.Compare);
        _parts =
        [
            .. from source in sources
               from walk in walks
               let found = Comparisons.Of(source.Pairs(walk, other), cases.Judge.Compare)
               where found.Any
               select (source, walk, found),
        ];
    }

    /// <summary>The walk that the others are held against.</summary>
    public string Other { get; }

    /// <summary>All of them.</summary>
    public Comparisons All { get; }

    /// <summary>A line for each source and walk.</summary>
    public IReadOnlyList<AdviceEvidence> Evidence =>
    [
        .. _parts.Select(part => new AdviceEvidence(
            null, $"{part.Source.Name}, {part.Walk}: {part.Found.Describe()} of {Other} with the same arrival")),
    ];
}

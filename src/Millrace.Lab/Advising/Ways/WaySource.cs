
namespace Millrace.Lab.Advising.Ways;

/// <summary>The ways of the suite "bytes" measured on one source, with one reader and the usual buffer.</summary>
internal sealed class WaySource
{
    private const int UsualBuffer = 65536;

    private WaySource(string name, IReadOnlyList<CaseResult> cases)
    {
        Name = name;
        Cases = cases;
    }

    /// <summary>"file" or "http".</summary>
    public string Name { get; }

    /// <summary>A case of each way.</summary>
    public IReadOnlyList<CaseResult> Cases { get; }

    /// <summary>How bytes arrive, in all ways.</summary>
    public IEnumerable<string> Arrivals => Cases.Select(item => Way.Of(item.Method).Arrival).Distinct();

    /// <summary>The sources of a run by name; none when it is of another suite.</summary>
    public static IReadOnlyList<WaySource> Of(SituatedCases cases) =>
    [
        .. cases.Situations
            .Where(situation => !situation.IsCold && situation.Parameters is { Source: not null, Content: not "csv", Bytes: > 0 })
            .GroupBy(situation => situation.Parameters.Source!)
            .OrderBy(group => group.Key, StringComparer.Ordinal)
            .Select(group => new WaySource(group.Key, Usual(group.First()))),
    ];

    /// <summary>A way's case; null when it was not measured.</summary>
    public CaseResult? Find(string arrival, string walk) => Find(new Way(arrival, walk).ToString());

    /// <summary>A method's case; null when it was not measured.</summary>
    public CaseResult? Find(string method) => Cases.FirstOrDefault(item => item.Method == method);

    /// <summary>Cases of one walk with those of another, of the same arrival.</summary>
    public IEnumerable<(CaseResult Mine, CaseResult Other)> Pairs(string walk, string other) =>
        from arrival in Arrivals
        let mine = Find(arrival, walk)
        let their = Find(arrival, other)
        where mine is not null && their is not null
        select (mine, their);

    /// <summary>The fastest case of an arrival; null when none was measured.</summary>
    public CaseResult? Best(string arrival) =>
        Cases.Where(item => Way.Of(item.Method).Arrival == arrival).MinBy(Figures.Median);

    // Where buffers are compared, the others' cases have the usual one.
    private static CaseResult[] Usual(Situation situation) =>
        [.. situation.Methods.Select(method => situation.Of(method).MinBy(item => item.Parameters.Buffer is not (null or UsualBuffer))!)];
}

using Millrace.Lab.Suites.Bytes;

namespace Millrace.Lab.Advising;

/// <summary>A method of the suite "bytes": how bytes arrive, for example "Increments", and how they are iterated, for example "Span".</summary>
internal readonly record struct Way(string Arrival, string Walk)
{
    /// <summary>The method that the others are compared with, here and by others.</summary>
    public const string Baseline = "Increments.Span";

    /// <summary>The method's name in .NET.</summary>
    public string Name => Walk.Length == 0 ? Arrival : $"{Arrival}.{Walk}";

    /// <summary>Takes a method's name apart; a name without a dot is all arrival. A method of URLSession maps to its equivalent in .NET.</summary>
    public static Way Of(CaseResult item)
    {
        if (UrlSession.WayOf(item.Method) is { } same)
        {
            return same;
        }

        int dot = item.Method.IndexOf('.', StringComparison.Ordinal);
        return dot < 0 ? new Way(item.Method, "") : new Way(item.Method[..dot], item.Method[(dot + 1)..]);
    }

    /// <summary>A case in the words of an API, for example "ForEachSegmentAsync with Vector&lt;T&gt;".</summary>
    public static string Describe(CaseResult item)
    {
        Way way = Of(item);
        bool isFile = item.Parameters.Source == "file";
        string arrival = way.Arrival switch
        {
            "AllAtOnce" => isFile ? "File.ReadAllBytesAsync" : "GetByteArrayAsync",
            "Completion" => "a callback that gets all bytes at once",
            "Increments" => $"ReadAsync into one buffer of {Figures.Buffer(item)}",
            "PipeReader" => isFile ? "FilePipe.OpenRead" : "PipeReader.Create over the response's stream",
            "MillraceBytes" => way.Walk is "Span" or "Vector" ? "ForEachSegmentAsync" : "ReadBytesAsync",
            "AsyncBytes" => "an async iterator over the stream",
            var other => other,
        };
        return arrival + way.Walk switch
        {
            "Vector" => " with Vector<T>",
            "Span" => " with a loop over the span",
            "For" => " with an index",
            "ForEach" => " with a delegate for each byte",
            "Reduce" => " with a fold",
            "AwaitForEach" => " with await foreach",
            _ => "",
        };
    }
}

/// <summary>The methods of the suite "bytes" on one source, "file" or "http", with one reader and the usual buffer.</summary>
internal sealed record WaySource(string Name, IReadOnlyList<CaseResult> Cases)
{
    private const int UsualBuffer = 65536;

    public IEnumerable<string> Arrivals => Cases.Select(item => Way.Of(item).Arrival).Distinct();

    /// <summary>The sources of a run by name; none when it is of another suite.</summary>
    public static IReadOnlyList<WaySource> Of(SituatedCases cases) =>
    [
        .. cases.Hot
            .Where(situation => situation.Parameters is { Source: not null, Content: not "csv", Bytes: > 0 })
            .GroupBy(situation => situation.Parameters.Source!)
            .OrderBy(group => group.Key, StringComparer.Ordinal)
            .Select(group => new WaySource(group.Key, Usual(group.First()))),
    ];

    public CaseResult? Find(string method) => Cases.FirstOrDefault(item => Way.Of(item).Name == method);

    public IEnumerable<CaseResult> OfArrival(string arrival) => Cases.Where(item => Way.Of(item).Arrival == arrival);

    /// <summary>Cases of some walks with those of another, of the same arrival.</summary>
    public IEnumerable<(CaseResult Mine, CaseResult Other)> Walks(IEnumerable<string> walks, string other) =>
        from walk in walks
        from arrival in Arrivals
        let mine = Find($"{arrival}.{walk}")
        let their = Find($"{arrival}.{other}")
        where mine is not null && their is not null
        select (mine, their);

    // Where buffers are compared, the others' cases have the usual one.
    private static CaseResult[] Usual(Situation situation) =>
        [.. situation.Methods.Select(method => situation.Of(method).MinBy(item => item.Parameters.Buffer is not (null or UsualBuffer))!)];
}

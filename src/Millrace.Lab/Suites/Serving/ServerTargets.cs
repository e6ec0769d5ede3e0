namespace Millrace.Lab.Suites.Serving;

/// <summary>The targets of serving, and the result in a sentence.</summary>
internal static class ServerTargets
{
    private const string Http1 = "HTTP/1.1";
    private const string Http2 = "HTTP/2";

    private static readonly TargetDefinition[] Targets =
    [
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Download, Http1, 0.40),
        Time(WebServer.MillraceSockets, WebServer.Nginx, ServerCase.Download, Http1, 1.05),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Upload, Http1 + " to nothing", 0.56),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Upload, Http1 + " to a file", 0.67),
        Processor(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Download, Http1, 0.40),
        Processor(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Upload, Http1 + " to nothing", 0.60),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Download, Http2, 0.91),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Upload, Http2 + " to nothing", 0.91),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Download, Http2 + ", gRPC", 0.91),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Upload, Http2 + ", gRPC to a file", 0.91),
        Processor(WebServer.Serve, WebServer.Nginx, ServerCase.Download, Http1, 1.00),
        Time(WebServer.MillraceSockets, WebServer.Stock, ServerCase.Download, Http1 + ", ", 1.00, "texts"),
        Time(WebServer.Serve, WebServer.Nginx, ServerCase.Download, Http1 + ", ", 1.33, "files"),
    ];

    public static IReadOnlyList<TargetResult> Check(LabResults results) => TargetDefinition.Check(results, Targets);

    /// <summary>The times of a download and an upload; null when they were not measured.</summary>
    public static string? Finding(LabResults results)
    {
        var cases = new MeasuredCases(results);
        string[] parts =
        [
            .. from work in ((string Direction, string Options, string Verb)[])
                   [(ServerCase.Download, Http1, "sending"), (ServerCase.Upload, Http1 + " to nothing", "receiving")]
               let pair = Pairs(cases, WebServer.MillraceSockets, WebServer.Stock, work.Direction, work.Options, "").FirstOrDefault()
               where pair.Mine is not null
               select $"{work.Verb} {ByteSize.ToText(pair.Mine.Parameters.Bytes!.Value)} over {Http1}, Kestrel with UseMillraceSockets "
                   + $"{Figures.Speed(pair.Ratio)} as unmodified Kestrel ({Figures.Both(pair.Mine, pair.Other)})",
        ];
        return parts.Length == 0 ? null : Figures.Capital(string.Join("; ", parts)) + ".";
    }

    private static TargetDefinition Time(string mine, string other, string direction, string options, double limit, string kind = "") =>
        TargetDefinition.Ratio(
            $"{mine} / {other}, {direction}, {options.TrimEnd(',', ' ')}{(kind.Length > 0 ? $", small {kind}" : "")}",
            limit,
            cases => Pairs(cases, mine, other, direction, options, kind));

    private static TargetDefinition Processor(string mine, string other, string direction, string options, double limit) => new(
        $"{mine} / {other}, {direction}, {options}: processor time of the server",
        TargetDefinition.Invariant($"≤ {limit:0.00}"),
        cases => Pairs(cases, mine, other, direction, options, "").FirstOrDefault() is
        { Mine.Summary.ServerCpuNs: { } own, Other.Summary.ServerCpuNs: { } others } pair
            ? (TargetDefinition.Invariant($"{own / others:0.000}, {PerGigabyte(pair.Mine):0.00} against {PerGigabyte(pair.Other):0.00} s per GB"), own / others <= limit)
            : null);

    private static double PerGigabyte(CaseResult item) => item.Summary!.ServerCpuNs!.Value / item.Parameters.Bytes!.Value;

    private static IEnumerable<CasePair> Pairs(
        MeasuredCases cases, string mine, string other, string direction, string options, string kind) => CasePair.WithSame(
            cases,
            cases.Of(mine, parameters => parameters.Direction == direction && (kind.Length == 0
                ? parameters.Options == options
                : parameters.Options!.StartsWith(options, StringComparison.Ordinal) && parameters.Options.Contains($" {kind} ", StringComparison.Ordinal))),
            other);
}

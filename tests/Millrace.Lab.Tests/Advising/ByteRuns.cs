namespace Millrace.Lab.Tests.Advising;

internal static class ByteRuns
{
    private const double Peak = 1 << 20;
    private static readonly string[] Whole = ["AllAtOnce", "Completion"];

    /// <summary>A full run as .NET may have it: an index as fast as a span, delegates slow, an await for each byte slowest.</summary>
    public static LabResults Everything { get; } = Of([.. All()]) with { Mode = "full" };

    public static CaseResult Case(
        string method,
        double ms,
        string source = "file",
        int? buffer = 65536,
        int readers = 1,
        string content = "random",
        long bytes = Runs.Large,
        double cpu = 0,
        double? peak = null,
        double? allocated = null)
    {
        CaseResult item = Runs.Case(method, buffer ?? 0, ms, bytes, cpu: cpu, peak: peak, allocated: allocated);
        return item with
        {
            Baseline = method is "Increments.Span" or "StreamReader.Lines",
            Parameters = new CaseParameters
            {
                Buffer = buffer,
                Bytes = bytes,
                Cache = "hot",
                Source = source,
                Content = content,
                Readers = readers,
            },
        };
    }

    public static LabResults Of(params CaseResult[] cases) => Runs.Of(cases) with { Suite = "bytes" };

    public static Advice[] Apply(Func<SituatedCases, IEnumerable<Advice>> rule, params CaseResult[] cases) => Runs.Apply(rule, Of(cases));

    public static Advice[] Apply(string topic, params CaseResult[] cases) => Runs.Apply(topic, Of(cases));

    private static IEnumerable<CaseResult> All()
    {
        foreach (string source in new[] { "http", "file" })
        {
            double arrival = source == "http" ? 60 : 20;
            foreach ((string name, double cost) in new[]
            {
                ("AllAtOnce", 40.0), ("Completion", 41.0), ("Increments", 0), ("PipeReader", 2), ("MillraceBytes", 1),
            })
            {
                foreach ((string walk, double walking) in new[]
                {
                    ("For", 60.0), ("ForEach", 250), ("Reduce", 255), ("Span", 60), ("Vector", 8), ("AwaitForEach", 140),
                })
                {
                    bool exists = name == "MillraceBytes" ? walk != "For" : walk != "AwaitForEach";
                    if (exists)
                    {
                        double ms = arrival + cost + walking;
                        double peak = Whole.Contains(name) ? Runs.Large + Peak : Peak;
                        yield return Case($"{name}.{walk}", ms, source, cpu: ms * (source == "http" ? 1.6 : 1), peak: peak);
                    }
                }
            }

            foreach ((string walk, double ms) in new[] { ("AwaitForEach", 1300.0), ("ForEach", 1600), ("Reduce", 1610) })
            {
                yield return Case($"AsyncBytes.{walk}", ms, source, cpu: ms, peak: Peak);
            }

            yield return Case("Increments.Span", arrival + 62, source, buffer: 4096, cpu: arrival + 62, peak: Peak);
            yield return Case("Increments.Span", arrival + 60, source, buffer: 262144, cpu: arrival + 60, peak: Peak);
            yield return Case("MillraceBytes.Vector", arrival + 10, source, readers: 2, cpu: arrival + 10, peak: Peak);
            yield return Case("MillraceBytes.Vector", (arrival + 10) * 2.2, source, readers: 4, cpu: arrival + 10, peak: Peak);
        }

        yield return Case("StreamReader.Lines", 90, content: "csv", bytes: TaxiFareCsv.Bytes, cpu: 90, allocated: 80 << 20);
        yield return Case("MillraceLines.Lines", 30, content: "csv", bytes: TaxiFareCsv.Bytes, cpu: 30, allocated: 700);
    }
}

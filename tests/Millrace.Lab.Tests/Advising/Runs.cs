namespace Millrace.Lab.Tests.Advising;

/// <summary>Runs with fixed numbers, as advice sees them: quiet, verified, without verdicts unless a test adds some.</summary>
internal static class Runs
{
    public const long Small = 4 << 20;
    public const long Large = 128 << 20;
    public const string Asynchronous = "SequentialScan|Asynchronous";

    /// <summary>A case whose median is certain to a thousandth.</summary>
    public static CaseResult Case(
        string method,
        int buffer,
        double ms,
        long bytes = Large,
        string cache = "hot",
        string? options = null,
        string? fill = null,
        double cpu = 0,
        double? allocated = null,
        double? peak = null,
        double gen0 = 0,
        double? callingThread = null,
        double? calls = null)
    {
        CaseResult item = Fixture.Case(method, buffer, ms, bytes, cache, gen0: gen0, callingThread: callingThread);
        CaseSummary summary = item.Summary! with
        {
            WallNs = item.Summary.WallNs with { N = 100, P25 = ms * 0.997e6, P75 = ms * 1.003e6 },
            AllocatedBytes = allocated,
            PeakOverIdleBytes = peak,
            UserCpuNs = cpu * 1e6,
            SystemCpuNs = 0,
            CoresUsed = null,
            SystemCalls = calls,
            ReadCalls = null,
        };
        CaseParameters parameters = item.Parameters with
        {
            Options = options ?? item.Parameters.Options,
            CacheFill = fill ?? item.Parameters.CacheFill,
        };
        return item with { Parameters = parameters, Summary = summary, Verdicts = null };
    }

    public static LabResults Of(params CaseResult[] cases)
    {
        LabResults results = Fixture.Run(cases);
        return results with
        {
            Warnings = [],
            Absent = [],
            Noise = [],
            Engine = results.Engine with { RuntimeSettings = new Dictionary<string, string>() },
            Cases =
            [
                .. cases.Select(item => item with { Samples = item.Samples! with { Launch = [0, 1] } }),
            ],
        };
    }

    public static Advice[] Apply(Func<SituatedCases, IEnumerable<Advice>> rule, LabResults run) => [.. rule(new SituatedCases(run))];

    public static Advice[] Apply(Func<SituatedCases, IEnumerable<Advice>> rule, params CaseResult[] cases) => Apply(rule, Of(cases));

    /// <summary>The outcome of the tests of published conclusions on a topic.</summary>
    public static Advice[] Apply(string topic, LabResults results) =>
        [.. Advisor.Advise(results).Where(item => item.Claim is not null && item.Topic == topic)];

    public static Advice[] Apply(string topic, params CaseResult[] cases) => Apply(topic, Of(cases));
}

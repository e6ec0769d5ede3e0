namespace Millrace.Lab.Tests.Comparing;

internal sealed class SimulatedRun
{
    public static readonly int[] Buffers = [2048, 4096, 16384, 65536, 262144, 1048576];

    private static readonly string[] Others = ["FilePipe", "PipeReaderCreate", "FilePipeMapped"];

    private readonly Simulation _simulation;

    public SimulatedRun(Simulation simulation) => _simulation = simulation;

    public double Machine { get; init; } = 1;

    public bool IsNull { get; init; }

    public Func<string, int, double> Change { get; init; } = (_, _) => 1;

    public LabResults Make()
    {
        double[] drift = [.. _simulation.NewDrift().Select(factor => factor * Machine)];
        List<CaseResult> cases = [];
        foreach (int buffer in Buffers)
        {
            Add(cases, "FileStreamSync", buffer, 10e6, drift, again: true);
            for (int i = 0; i < Others.Length; i++)
            {
                Add(cases, Others[i], buffer, (4 + i) * 1e6 * Change(Others[i], buffer), drift, IsNull);
            }
        }

        LabResults results = Fixture.Run([.. cases]) with { Purpose = IsNull ? "null" : null };
        return InRunVerdicts.Add(results with { Noise = [.. Noise(results)], Targets = [], Warnings = [], Absent = [] });
    }

    public StoredRun Stored(string name) => new(name, Make());

    private void Add(List<CaseResult> cases, string method, int buffer, double level, double[] drift, bool again)
    {
        cases.Add(Case(method, null, buffer, level, drift));
        if (again)
        {
            cases.Add(Case(method + "Again", "noise", buffer, level, drift));
        }
    }

    private CaseResult Case(string method, string? role, int buffer, double level, double[] drift)
    {
        MetricSamples samples = _simulation.Case(method, level, drift);
        double[] wall = [.. samples.Rounds.Select(round => round.Value)];
        CaseResult item = Fixture.Case(method, buffer, 1);
        return item with
        {
            Role = role,
            Verdicts = null,
            Samples = new CaseSamples
            {
                Launch = [.. samples.Rounds.Select(round => round.Launch)],
                Round = [.. samples.Rounds.Select(round => round.Round)],
                WallNs = wall,
                UserCpuNs = [.. wall.Select(value => (long)(value / 3))],
                SystemCpuNs = [.. wall.Select(value => (long)(value / 2))],
                Passes = item.Samples!.Passes,
            },
            Summary = item.Summary! with { WallNs = Summarizer.Describe(new Statistics(wall)) },
        };
    }

    private static IEnumerable<NoiseResult> Noise(LabResults results) =>
        from again in results.Cases
        let first = NoiseFloor.FirstOf(again, results)
        where first is not null
        let ratio = again.Summary!.WallNs.Median / first.Summary!.WallNs.Median
        select new NoiseResult
        {
            Method = first.Method,
            Parameters = again.Parameters,
            MedianRatio = ratio,
            Ratio = ratio,
            RatioStdDev = 0,
            Deviation = Math.Abs(ratio - 1),
        };
}

namespace Millrace.Lab.Tests.Comparing;

/// <summary>Makes times as a drifting machine yields them: launches differ, rounds wobble, some are disturbed.</summary>
internal sealed class Simulation
{
    private readonly Random _random;

    public Simulation(int seed) => _random = new Random(seed);

    public int Launches { get; init; } = 3;
    public int Rounds { get; init; } = 15;

    /// <summary>Standard deviation between launches of one method.</summary>
    public double BetweenLaunches { get; init; } = 0.02;

    /// <summary>Standard deviation between rounds of one launch.</summary>
    public double WithinLaunch { get; init; } = 0.04;

    /// <summary>How much slower the machine is at its worst than at its best.</summary>
    public double Drift { get; init; } = 0.3;

    /// <summary>The part of rounds that takes three times as long.</summary>
    public double Outliers { get; init; } = 0.02;

    public MetricSamples Case(string method, double level) => Case(method, level, NewDrift());

    public (MetricSamples Mine, MetricSamples Baseline) Pair(double ratio)
    {
        double[] drift = NewDrift();
        return (Case("Mine", 1e6 * ratio, drift), Case("Baseline", 1e6, drift));
    }

    /// <summary>A case on a machine whose state is given for every round.</summary>
    public MetricSamples Case(string method, double level, double[] drift)
    {
        var rounds = new List<RoundValue>();
        for (int launch = 0; launch < Launches; launch++)
        {
            double mine = level * Math.Exp(Normal() * BetweenLaunches);
            for (int round = 0; round < Rounds; round++)
            {
                double disturbed = _random.NextDouble() < Outliers ? 3 : 1;
                double value = mine * drift[(launch * Rounds) + round] * Math.Exp(Normal() * WithinLaunch) * disturbed;
                rounds.Add(new RoundValue(launch, round, value));
            }
        }

        return new MetricSamples { Kind = Metrics.WallNs, Method = method, Rounds = rounds };
    }

    /// <summary>The state of the machine in every round of a run: a wave with any phase, two to four times up and down.</summary>
    public double[] NewDrift()
    {
        double phase = _random.NextDouble() * 2 * Math.PI;
        double waves = 2 + (2 * _random.NextDouble());
        int all = Launches * Rounds;
        return [.. Enumerable.Range(0, all).Select(i => 1 + (Drift / 2 * (1 + Math.Sin(phase + (waves * 2 * Math.PI * i / all)))))];
    }

    public double Normal() =>
        Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
}

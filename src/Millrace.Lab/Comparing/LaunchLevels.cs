using Perfolizer.Mathematics.Distributions.ContinuousDistributions;

namespace Millrace.Lab.Comparing;

/// <summary>
/// The level of each launch on a logarithmic scale, and its uncertainty. The launch is the unit: samples of one
/// process share its memory and its compiled code, so that more of them add no information (Kalibera and Jones 2013).
/// </summary>
internal sealed class LaunchLevels
{
    /// <summary>The weight of the known spread, in launches.</summary>
    /// <remarks>
    /// 4: the quantile of three launches alone, 4.3 standard deviations, finds next to nothing; with it, it is 2.4.
    /// </remarks>
    public const int KnownSpreadWeight = 4;
    private const double Confidence = 0.95;

    // The standard error of a median of normal values by that of their mean, squared: pi / 2.
    private const double MedianVariance = Math.PI / 2;

    // Median absolute deviation of normal values by their standard deviation.
    private const double NormalDeviation = 0.6745;

    public LaunchLevels(IEnumerable<RoundValue> rounds, int minRounds)
    {
        Logs =
        [
            .. rounds.GroupBy(round => round.Launch)
                .Where(launch => launch.Count() >= minRounds)
                .OrderBy(launch => launch.Key)
                .Select(launch => launch.OrderBy(round => round.Round).Select(round => Math.Log(round.Value)).ToArray()),
        ];
        Levels = [.. Logs.Select(logs => new Statistics(logs).Median)];
        Mean = Levels.Length == 0 ? 0 : Levels.Average();
    }

    public double[][] Logs { get; }
    public double[] Levels { get; }
    public double Mean { get; }

    public double[] Rounds => [.. Logs.SelectMany(logs => logs)];

    public double Median => new Statistics(Levels).Median;

    public double SquaredDistances => Levels.Sum(level => (level - Mean) * (level - Mean));

    public double VarianceOfLevel
    {
        get
        {
            double[] distances =
            [
                .. Logs.SelectMany((logs, launch) => logs.Select(log => Math.Abs(log - Levels[launch]))),
            ];
            double deviation = new Statistics(distances).Median / NormalDeviation;
            double rounds = Logs.Average(logs => logs.Length);
            return MedianVariance * deviation * deviation / rounds;
        }
    }

    /// <summary>Half the width of the 95 % confidence interval of the mean.</summary>
    /// <param name="spread">The known standard deviation between launches.</param>
    public double HalfWidth(double spread) => HalfWidth(
        (spread * spread) + VarianceOfLevel, SquaredDistances, Levels.Length - 1, 1.0 / Levels.Length);

    /// <summary>Half the width of the 95 % confidence interval of the difference of the means.</summary>
    public double HalfWidth(LaunchLevels other, double spread) => HalfWidth(
        (spread * spread / 2) + ((VarianceOfLevel + other.VarianceOfLevel) / 2),
        SquaredDistances + other.SquaredDistances,
        Levels.Length + other.Levels.Length - 2,
        (1.0 / Levels.Length) + (1.0 / other.Levels.Length));

    // The moderated t interval (Smyth 2004): few launches' own variance, and the known one with its weight.
    private static double HalfWidth(double known, double squares, int freedom, double parts)
    {
        int allFreedom = KnownSpreadWeight + freedom;
        double variance = ((KnownSpreadWeight * known) + squares) / allFreedom;
        return new StudentDistribution(allFreedom).Quantile((1 + Confidence) / 2) * Math.Sqrt(variance * parts);
    }
}

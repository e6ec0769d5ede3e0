using Perfolizer.Mathematics.Distributions.ContinuousDistributions;

namespace Millrace.Lab;

/// <summary>Statistics of samples. Outliers stay in: users wait for them, too.</summary>
internal sealed class Statistics
{
    private const double ConfidenceLevel = 0.999;

    private readonly double[] _sorted;

    public Statistics(IEnumerable<double> values)
    {
        _sorted = [.. values.Order()];
        Mean = _sorted.Average();
        double squares = _sorted.Sum(value => (value - Mean) * (value - Mean));
        StandardDeviation = N == 1 ? 0 : Math.Sqrt(squares / (N - 1));
    }

    public int N => _sorted.Length;

    public double Min => _sorted[0];

    public double Max => _sorted[^1];

    public double Mean { get; }
    public double StandardDeviation { get; }

    public double Median => Percentile(50);

    /// <summary>Half of the width of the confidence interval of the mean, at 99.9 %; NaN for fewer than three samples.</summary>
    public double Margin => N <= 2
        ? double.NaN
        : StandardDeviation / Math.Sqrt(N) * new StudentDistribution(N - 1).Quantile(1 - ((1 - ConfidenceLevel) / 2));

    /// <summary>The value that a percentage of the samples do not exceed, interpolated between two of them.</summary>
    public double Percentile(int percent)
    {
        double index = percent / 100.0 * (N - 1);
        int below = (int)index;
        double part = index - below;
        return below + 1 < N ? (_sorted[below] * (1 - part)) + (_sorted[below + 1] * part) : _sorted[below];
    }
}

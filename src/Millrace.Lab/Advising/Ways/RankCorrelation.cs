namespace Millrace.Lab.Advising.Ways;

/// <summary>Whether two series put the same things in the same order.</summary>
internal static class RankCorrelation
{
    /// <summary>
    /// Spearman's coefficient: 1 for the same order, -1 for the opposite. Equal values share the mean of their places
    /// (Spearman, "The Proof and Measurement of Association between Two Things", 1904).
    /// </summary>
    public static double Of(IReadOnlyList<double> first, IReadOnlyList<double> second)
    {
        double[] a = Places(first);
        double[] b = Places(second);
        double mean = (a.Length + 1) / 2.0;
        double both = a.Zip(b, (x, y) => (x - mean) * (y - mean)).Sum();
        double each = Math.Sqrt(a.Sum(x => (x - mean) * (x - mean)) * b.Sum(y => (y - mean) * (y - mean)));
        return each > 0 ? both / each : 0;
    }

    private static double[] Places(IReadOnlyList<double> values) =>
        [.. values.Select(value => values.Count(other => other < value) + ((values.Count(other => other == value) + 1) / 2.0))];
}

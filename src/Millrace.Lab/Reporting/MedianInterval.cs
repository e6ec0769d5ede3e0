namespace Millrace.Lab.Reporting;

/// <summary>
/// The 95 % confidence interval of a median from the samples' order alone: how many of n samples lie below the true median
/// is binomial with one half, whatever the distribution (Conover, Practical Nonparametric Statistics, 3.2). It takes the
/// samples as independent; where rounds differ from each other, a verdict's interval is the one to decide by.
/// </summary>
internal static class MedianInterval
{
    private const double Tail = 0.025;

    /// <returns>Null with fewer than six samples, too few for that confidence.</returns>
    public static (double Low, double High)? Of(IReadOnlyList<double> samples)
    {
        int below = SamplesOutside(samples.Count);
        if (below == 0)
        {
            return null;
        }

        double[] sorted = [.. samples.Order()];
        return (sorted[below - 1], sorted[^below]);
    }

    // The largest k with P(B < k) <= 2.5 %, so that the interval from the k-th smallest to the k-th largest has it.
    private static int SamplesOutside(int count)
    {
        // As logarithms: 0.5^n leaves the range of a double at some thousand samples.
        double logarithm = -count * Math.Log(2);
        double sum = Math.Exp(logarithm);
        int k = 0;
        while (sum <= Tail)
        {
            k++;
            logarithm += Math.Log((double)(count - k + 1) / k);
            sum += Math.Exp(logarithm);
        }

        return k;
    }
}

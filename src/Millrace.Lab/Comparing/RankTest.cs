using Perfolizer.Mathematics.SignificanceTesting.Base;
using Perfolizer.Mathematics.SignificanceTesting.MannWhitney;
using Perfolizer.Metrology;

namespace Millrace.Lab.Comparing;

/// <summary>The test of Mann and Whitney (1947), Perfolizer's, with a threshold that a difference has to exceed.</summary>
internal static class RankTest
{
    /// <summary>The probability of such values when the first are not beyond the others by more than the threshold.</summary>
    /// <param name="mine">Logarithms.</param>
    /// <param name="others">Logarithms.</param>
    /// <param name="threshold">At least 0.</param>
    /// <param name="isMore">Whether "beyond" is above.</param>
    public static double Probability(double[] mine, double[] others, double threshold, bool isMore)
    {
        Perfolizer.Sample x = new(isMore ? mine : others);
        Perfolizer.Sample y = new(isMore ? others : mine);
        return MannWhitneyTest.Instance.GetPValue(
            x, y, AlternativeHypothesis.Greater, new Threshold(new NumberValue(threshold)));
    }

    /// <summary>
    /// The same for values that belong together in pairs, given as logarithms of their ratios. Halves of the ratios of every
    /// other pair are held against the negative halves of the rest: without a difference both are distributed alike, they
    /// share no pair, and they are apart by the logarithm of the ratio.
    /// </summary>
    public static double PairedProbability(double[] logRatios, double threshold, bool isMore) => Probability(
        [.. logRatios.Where((_, index) => index % 2 == 0).Select(log => log / 2)],
        [.. logRatios.Where((_, index) => index % 2 == 1).Select(log => -log / 2)],
        threshold,
        isMore);
}

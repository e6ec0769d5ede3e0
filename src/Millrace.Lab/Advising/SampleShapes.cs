using Perfolizer.Mathematics.OutlierDetection;

namespace Millrace.Lab.Advising;

/// <summary>Finds shapes that a median hides: two modes, and samples far above the others.</summary>
internal static class SampleShapes
{
    // With fewer samples than these, modes are chance.
    private const int MinSamples = 20;

    // A smaller mode, or one that is nearer, does not move a median by what people act on.
    private const double MinModeShare = 0.15;
    private const double MinModeDistance = 1.1;

    // A normal distribution that is cut in two has 2.7, an even one 3.5; two modes begin in earnest beyond both.
    private const double MinSeparation = 6;

    // Fences of Tukey's "far out" samples: three interquartile ranges.
    private const double FarOut = 3;

    // One late sample in thirty is normal on a shared machine; more of them belong to the method or to a neighbour.
    private const double MinFarShare = 0.05;
    private const int MinFar = 3;
    private const double MinFarDistance = 1.5;

    /// <summary>The modes of a case, for example "26.1 and 34.8 ms (12 and 23 of 35 samples)"; null with one.</summary>
    /// <remarks>
    /// The samples' logarithms are cut in two where both parts vary least, and the parts are apart by Ashman's D (Ashman, Bird and Zepf, "Detecting bimodality
    /// in astronomical datasets", 1994). Detectors that smooth the density first need more samples than a run has.
    /// </remarks>
    public static string? Modes(CaseResult item)
    {
        if (item.Samples is not { WallNs: { Count: >= MinSamples } samples } || item.Summary is null || item.Role is not null || Floor.Is(item.Method))
        {
            return null;
        }

        double[] sorted = [.. samples.Order()];
        double[] logs = [.. sorted.Select(ns => Math.Log(ns))];
        int smallest = (int)Math.Ceiling(MinModeShare * sorted.Length);
        int cut = Enumerable.Range(smallest, sorted.Length - (2 * smallest) + 1).MinBy(count => Squares(logs[..count]) + Squares(logs[count..]));
        double[] low = logs[..cut];
        double[] high = logs[cut..];
        double distance = high.Average() - low.Average();
        double spread = Math.Sqrt((Squares(low) / low.Length) + (Squares(high) / high.Length));
        return distance < Math.Log(MinModeDistance) || Math.Sqrt(2) * distance < MinSeparation * spread
            ? null
            : $"{Middle(sorted[..cut])[..^" ms".Length]} and {Middle(sorted[cut..])} ({cut} and {sorted.Length - cut} of {sorted.Length} samples)";

        static string Middle(double[] part) => Figures.Time(new Statistics(part).Median);
    }

    private static double Squares(double[] values)
    {
        double mean = values.Average();
        return values.Sum(value => (value - mean) * (value - mean));
    }

    /// <summary>The samples far above the others, for example "4 of 35 samples took 2.1 to 6.0 times the median"; null with hardly any.</summary>
    public static string? Outliers(CaseResult item)
    {
        if (item.Samples is not { WallNs: { Count: >= MinSamples } samples } || item.Summary is not { WallNs.Median: > 0 and var median })
        {
            return null;
        }

        double fence = Math.Max(TukeyOutlierDetector.Create(samples, FarOut).UpperFence, MinFarDistance * median);
        double[] far = [.. samples.Where(ns => ns > fence)];
        return far.Length < Math.Max(MinFar, MinFarShare * samples.Count)
            ? null
            : $"{far.Length} of {samples.Count} samples took {Figures.Factor(far.Min() / median)} to {Figures.Factor(far.Max() / median)} times the median";
    }
}

namespace Millrace.Lab.Tests.Running;

public sealed class ObjectEstimateTests
{
    private const int Samplings = 2_000;

    [Fact]
    public void Sampled_object_is_weighted_by_its_probability()
    {
        ObjectEstimate small = ObjectEstimate.Of([48], invocations: 1);
        Assert.Equal(102_400 / 48.0, small.Objects, tolerance: 1);
        Assert.Equal(small.Objects, small.StdDev, tolerance: 1);

        ObjectEstimate large = ObjectEstimate.Of([1 << 24, 1 << 24], invocations: 1);
        Assert.Equal(2, large.Objects, precision: 10);
        Assert.Equal(0, large.StdDev, precision: 10);
    }

    [Fact]
    public void Several_invocations_share_the_samples()
    {
        ObjectEstimate one = ObjectEstimate.Of([48, 1000], invocations: 1);
        ObjectEstimate four = ObjectEstimate.Of([48, 1000], invocations: 4);
        Assert.Equal(one.Objects / 4, four.Objects, precision: 10);
        Assert.Equal(one.StdDev / 4, four.StdDev, precision: 10);
    }

    [Fact]
    public void Estimates_for_mixed_sizes_are_unbiased_with_the_stated_deviation()
    {
        double[] sizes = [.. Enumerable.Range(0, 4_000).Select(i => i % 100 == 0 ? 200_000.0 : 24 + (i % 50 * 40))];
        var random = new Random(3);
        double[] estimates = new double[Samplings];
        double variances = 0;
        for (int i = 0; i < Samplings; i++)
        {
            // The first winning byte, counted from the object's first.
            ObjectEstimate estimate = ObjectEstimate.Of(
                sizes.Where(size => -ObjectEstimate.BytesPerSample * Math.Log(1 - random.NextDouble()) < size), invocations: 1);
            estimates[i] = estimate.Objects;
            variances += estimate.StdDev * estimate.StdDev;
        }

        double mean = estimates.Average();
        double variance = estimates.Sum(value => (value - mean) * (value - mean)) / (Samplings - 1);
        Assert.InRange(mean, sizes.Length - (4 * Math.Sqrt(variance / Samplings)), sizes.Length + (4 * Math.Sqrt(variance / Samplings)));
        Assert.InRange(variances / Samplings / variance, 0.85, 1.15);
    }

    [Fact]
    public void No_samples_estimate_zero_objects() => Assert.Equal(default, ObjectEstimate.Of([], invocations: 3));
}

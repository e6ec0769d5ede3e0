using Millrace.Tuning;

namespace Millrace.Tests.Tuning;

/// <summary>The choice of a size from measured times, with the figures of real machines: 128 MiB, in milliseconds.</summary>
public sealed class SizeTunerTests
{
    private const int KiB = 1024;

    [Theory]
    [InlineData(11.6, 8.97, 6.86, 1024)] // Zen 4, large folios, copied
    [InlineData(13.39, 11.00, 9.98, 1024)] // Zen 4, large folios, copied and summed
    [InlineData(21.82, 21.6, 21.52, 256)] // Zen 4, small folios; 512 KiB was not measured and lies between its neighbours
    [InlineData(17.3, 18.6, 19.9, 256)] // Intel Xeon, copied and summed; the same of 512 KiB
    [InlineData(10, 9.6, 9.4, 512)] // a processor that gains 4 % and then 2
    public void Smallest_size_near_the_best_is_chosen(double small, double middle, double large, int kibibytes)
    {
        Assert.Equal(kibibytes * KiB, SizeTuner.Choose([Costs(small, middle, large)]));
    }

    [Theory]
    [InlineData(10.2, 10.4, 10, 1024)]
    [InlineData(10, 10.4, 10.6, 256)]
    public void Current_size_stays_while_it_costs_little_more_than_the_best(double small, double middle, double large, int kibibytes)
    {
        Assert.Equal(kibibytes * KiB, SizeTuner.Choose([Costs(small, middle, large)], current: 1024 * KiB));
    }

    [Fact]
    public void Interrupted_series_decides_nothing()
    {
        SizeCosts[] series = [Costs(11.6, 8.97, 6.86), Costs(11.6, 8.97, 60), Costs(116, 89.7, 68.6)];

        Assert.Equal(1024 * KiB, SizeTuner.Choose(series));
    }

    [Theory]
    [InlineData(true, 1024, 1024)] // Zen 4
    [InlineData(true, 512, 512)] // Zen 3
    [InlineData(true, 0, 256)]
    [InlineData(false, 2048, 256)] // Intel
    public void Start_is_what_was_measured_on_such_a_processor(bool isAmd, int cacheKibibytes, int kibibytes)
    {
        Assert.Equal(kibibytes * KiB, SizeTuner.KnownFor((isAmd, cacheKibibytes * KiB)));
    }

    [Fact]
    public void Series_uses_every_candidate_once_and_few_of_the_bytes()
    {
        var tuner = new SizeTuner("test");
        var sizes = new SizeSeries();
        List<int> all = [];
        List<int> tried = [];
        long total = 0;
        while (total < 64L * KiB * KiB)
        {
            int bytes = sizes.Next(tuner, int.MaxValue, out int trial);
            total += bytes;
            all.Add(bytes);
            if (trial > 0)
            {
                tried.Add(all.Count - 1);
                sizes.Record(tuner, trial, bytes, ticks: 1);
            }
        }

        // Only the second of two calls of a size counts.
        Assert.Equal([1024 * KiB, 512 * KiB, 256 * KiB], tried.Select(call => all[call]));
        Assert.Equal([1024 * KiB, 1024 * KiB, 512 * KiB, 512 * KiB, 256 * KiB, 256 * KiB], all.GetRange(tried[0] - 1, 6));
    }

    [Fact]
    public void Choice_follows_lasting_change_and_says_that_it_was_measured()
    {
        var tuner = new SizeTuner("test");
        Submit(tuner, 3, Costs(10, 12, 14));
        Assert.Equal((256 * KiB, "measured by this process"), (tuner.Size, tuner.Reason));

        Submit(tuner, 2, Costs(10, 8, 6));
        Assert.Equal(256 * KiB, tuner.Size);

        Submit(tuner, 1, Costs(10, 8, 6));
        Assert.Equal(1024 * KiB, tuner.Size);
    }

    [Fact]
    public void Settled_tuner_measures_less_often_until_a_series_disagrees()
    {
        var tuner = new SizeTuner("test");
        Submit(tuner, 5, Costs(10, 12, 14));
        Assert.False(IsAsked(tuner, 1024));

        Submit(tuner, 1, Costs(10, 12, 14));
        Assert.True(IsAsked(tuner, 2048));
        Submit(tuner, 1, Costs(10, 8, 6));
        Assert.True(IsAsked(tuner, 64));
    }

    [Fact]
    public void Series_with_a_call_that_waited_is_given_up()
    {
        var tuner = new SizeTuner("test");
        var sizes = new SizeSeries();
        while (true)
        {
            _ = sizes.Next(tuner, int.MaxValue, out int trial);
            if (trial > 0)
            {
                break;
            }
        }

        sizes.Abandon();

        Assert.Equal(tuner.Size, sizes.Next(tuner, int.MaxValue, out int next));
        Assert.Equal(0, next);
    }

    [Fact]
    public void Fixed_size_is_kept_and_nothing_is_tried()
    {
        var tuner = new SizeTuner("test", fixedBytes: 512 * KiB);
        Submit(tuner, 5, Costs(10, 12, 14));

        Assert.False(IsAsked(tuner, 4096));
        Assert.Equal((512 * KiB, "fixed for the process"), (tuner.Size, tuner.Reason));
    }

    private static SizeCosts Costs(double small, double middle, double large)
    {
        var costs = default(SizeCosts);
        costs[0] = small;
        costs[1] = middle;
        costs[2] = large;
        return costs;
    }

    private static void Submit(SizeTuner tuner, int times, SizeCosts costs)
    {
        for (int i = 0; i < times; i++)
        {
            tuner.Submit(costs);
        }
    }

    /// <summary>Whether a series is due within so many MiB.</summary>
    private static bool IsAsked(SizeTuner tuner, int mebibytes) =>
        Enumerable.Range(0, mebibytes).Any(_ => tuner.CountAndAsk(1024 * KiB));
}

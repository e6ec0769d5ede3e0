namespace Millrace.Lab.Tests.Comparing;

public sealed class VerdictRuleTests
{
    [Fact]
    public void Verdicts_ignore_the_unit_and_reverse_with_the_sides()
    {
        var simulation = new Simulation(41) { WithinLaunch = 0.05 };
        for (int i = 0; i < 100; i++)
        {
            (MetricSamples mine, MetricSamples baseline) = simulation.Pair(0.85 + (0.003 * i));
            VerdictResult verdict = Verdicts.CompareInRun(mine, baseline, EffectLimit.Minimum);
            VerdictResult scaled = Verdicts.CompareInRun(Scale(mine), Scale(baseline), EffectLimit.Minimum);
            VerdictResult turned = Verdicts.CompareInRun(baseline, mine, EffectLimit.Minimum);
            VerdictResult apart = Verdicts.Compare(mine, baseline, EffectLimit.Minimum);
            VerdictResult apartTurned = Verdicts.Compare(baseline, mine, EffectLimit.Minimum);
            Assert.Equal(verdict.Verdict, scaled.Verdict);
            Assert.Equal(verdict.Ratio!.Value, scaled.Ratio!.Value, precision: 10);
            Assert.Equal(Opposite(verdict.Verdict), turned.Verdict);
            Assert.Equal(1, verdict.Ratio.Value * turned.Ratio!.Value, precision: 10);
            Assert.Equal(1, verdict.Low!.Value * turned.High!.Value, precision: 10);
            Assert.Equal(Opposite(apart.Verdict), apartTurned.Verdict);
        }

        static MetricSamples Scale(MetricSamples samples) => samples.Without(_ => 1e-3);
    }

    [Fact]
    public void Drift_between_rounds_does_not_hide_a_difference_within_rounds()
    {
        var simulation = new Simulation(42) { Drift = 20, WithinLaunch = 0.02, BetweenLaunches = 0.005 };
        (MetricSamples mine, MetricSamples baseline) = simulation.Pair(1.1);
        Assert.Equal(VerdictWords.Slower, Verdicts.CompareInRun(mine, baseline, EffectLimit.Minimum).Verdict);
    }

    [Fact]
    public void A_difference_of_one_launch_only_is_noise()
    {
        MetricSamples baseline = Levels(100, 100, 100);
        VerdictResult verdict = Verdicts.CompareInRun(Levels(100, 100, 160), baseline, EffectLimit.Minimum);
        Assert.Equal(VerdictWords.Noise, verdict.Verdict);
        Assert.Null(verdict.Better);
        Assert.Equal(VerdictWords.Slower, Verdicts.CompareInRun(Levels(160, 160, 160), baseline, EffectLimit.Minimum).Verdict);
    }

    [Fact]
    public void One_launch_of_five_may_disagree_where_the_rest_is_clear()
    {
        VerdictResult verdict = Verdicts.CompareInRun(
            Levels(200, 200, 200, 200, 100), Levels(100, 100, 100, 100, 100), EffectLimit.Minimum);
        Assert.Equal(VerdictWords.Slower, verdict.Verdict);
    }

    [Theory]
    [InlineData(2, 20, "2 launches")]
    [InlineData(1, 60, "1 launch ")]
    [InlineData(3, 4, "0 launches with at least 5 rounds")]
    public void Too_little_data_says_what_is_missing(int launches, int rounds, string reason)
    {
        var simulation = new Simulation(43) { Launches = launches, Rounds = rounds };
        (MetricSamples mine, MetricSamples baseline) = simulation.Pair(0.5);
        VerdictResult inRun = Verdicts.CompareInRun(mine, baseline, EffectLimit.Minimum);
        VerdictResult apart = Verdicts.Compare(mine, baseline, EffectLimit.Minimum);
        Assert.All([inRun, apart], verdict =>
        {
            Assert.Equal(VerdictWords.TooLittleData, verdict.Verdict);
            Assert.StartsWith(reason, verdict.Reason, StringComparison.Ordinal);
            Assert.InRange(verdict.Ratio!.Value, 0.4, 0.6);
            Assert.Null(verdict.Low);
        });
    }

    [Fact]
    public void Rank_test_of_pairs_is_right_about_as_often_as_it_says_on_normal_values()
    {
        // Under the hypothesis, one of twenty probabilities is below 5 %.
        var simulation = new Simulation(44);
        const int Repetitions = 2000;
        int below = 0;
        for (int i = 0; i < Repetitions; i++)
        {
            double[] ratios = [.. Enumerable.Range(0, 30).Select(_ => 0.03 + (simulation.Normal() * 0.1))];
            below += RankTest.PairedProbability(ratios, 0.03, isMore: true) < 0.05 ? 1 : 0;
        }

        Assert.InRange(below / (double)Repetitions, 0.035, 0.065);
    }

    private static string Opposite(string verdict) => verdict switch
    {
        VerdictWords.Faster => VerdictWords.Slower,
        VerdictWords.Slower => VerdictWords.Faster,
        _ => verdict,
    };

    private static MetricSamples Levels(params double[] levels)
    {
        // A little wobble, the same for all, as ranks need values that differ.
        IEnumerable<RoundValue> rounds =
            from launch in Enumerable.Range(0, levels.Length)
            from round in Enumerable.Range(0, 10)
            select new RoundValue(launch, round, levels[launch] * (1 + (0.001 * ((round * 7) % 10))));
        return new MetricSamples { Kind = Metrics.WallNs, Method = "Any", Rounds = [.. rounds] };
    }
}

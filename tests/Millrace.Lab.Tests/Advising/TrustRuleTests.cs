namespace Millrace.Lab.Tests.Advising;

public sealed class TrustRuleTests
{
    private static readonly LabResults Good = Runs.Of(Runs.Case("FileStreamSync", 4096, 20), Runs.Case("FilePipe", 4096, 10));

    private static readonly CaseResult[] Unverified =
    [
        .. Enumerable.Range(1, 5).Select(i => Runs.Case("FilePipe", i * 1024, 10) with { Verified = false, UnverifiedReason = "not resident" }),
    ];

    private static LabResults Of(params CaseResult[] cases) => Good with { Cases = cases };

    // The same samples each time, within 3 % of a time.
    private static IEnumerable<double> Around(double ms, int count) =>
        Enumerable.Range(0, count).Select(i => ms * (1 + (0.03 * ((i * 0.618034 % 1) - 0.5))));

    private static CaseResult Sampled(CaseResult item, double[] ms)
    {
        double[] ns = [.. ms.Select(time => time * 1e6)];
        return item with
        {
            Samples = item.Samples! with
            {
                Launch = [.. ns.Select((_, i) => i % 2)],
                Round = [.. ns.Select((_, i) => i)],
                WallNs = ns,
            },
            Summary = item.Summary! with { WallNs = item.Summary.WallNs with { N = ns.Length, Median = new Statistics(ns).Median } },
        };
    }

    [Fact]
    public void Flaws_of_a_run_match_the_golden_file() => Golden.Check(
        "rules-trust.md",
        ("A flawless run", Apply(Good)),
        ("A debug build", Apply(Good with { Engine = Good.Engine with { Build = "Debug" } })),
        ("An interrupted run", Apply(Good with { Interrupted = true })),
        ("A machine that is busy while it measures, in one of two launches", Apply(Good with
        {
            Launches = [Good.Launches[0] with { OthersShare = 0.1 }, Good.Launches[0] with { OthersShare = 0.251 }],
        })),
        ("A machine that was busy before it measured, as after a build", Apply(Good with
        {
            Machine = Good.Machine with { Cores = 2, LoadAverage = 2.5 },
            Launches = [Good.Launches[0] with { OthersShare = 0.01 }],
        })),
        ("An older file of a machine that was busy before", Apply(Good with { Machine = Good.Machine with { Cores = 2, LoadAverage = 0.51 } })),
        ("Load before a later launch is the run's own", Apply(Good with
        {
            Machine = Good.Machine with { Cores = 2, LoadAverage = 0.1 },
            Launches = [Good.Launches[0] with { LoadAverage = 1.9 }],
        })),
        ("A compiler at work", Apply(Good with { Engine = Good.Engine with { CompilerQuiet = false } })),
        ("A compiler at work in a run without a warm-up", Apply(Good with { Engine = Good.Engine with { CompilerQuiet = false, WarmUpPhases = 0 } })),
        ("Settings of the runtime", Apply(
            Good with { Engine = Good.Engine with { RuntimeSettings = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" } } })),
        ("A warning of the run itself", Apply(Good with { Warnings = ["the clock went backwards"] })),
        ("A case with two modes", Apply(Of(Good.Cases[0], Sampled(Good.Cases[1], [.. Around(26, 12), .. Around(35, 23)])))),
        ("A case with one mode, however wide", Apply(Of(Good.Cases[0], Sampled(Good.Cases[1], [.. Around(30, 35)])))),
        ("A second mode that is near, or of two samples, is none", Apply(Of(
            Sampled(Good.Cases[0], [.. Around(26, 12), .. Around(27, 23)]), Sampled(Good.Cases[1], [.. Around(26, 33), .. Around(35, 2)])))),
        ("A case with many outliers", Apply(Of(Good.Cases[0], Sampled(Good.Cases[1], [.. Around(26, 33), 60, 70, 90, 120])))),
        ("Two late samples of forty are usual", Apply(Of(Good.Cases[0], Sampled(Good.Cases[1], [.. Around(26, 38), 60, 120])))),
        ("A file that the last-level cache holds", Apply(Good with { Machine = Good.Machine with { CacheBytes = 260 << 20 } })),
        ("A small file that the cache holds beside a large one that it does not", Apply(Runs.Of([.. Good.Cases, Runs.Case("FilePipe", 4096, 1, Runs.Small)]) with
        {
            Machine = Good.Machine with { CacheBytes = 32 << 20 },
        })),
        ("The main file in the cache, a larger one not", Apply(Runs.Of([.. Good.Cases, Runs.Case("FilePipe", 4096, 50, 4 * Runs.Large)]) with
        {
            Machine = Good.Machine with { CacheBytes = 260 << 20 },
        })),
        ("Methods measured against themselves", Apply(Good with { Purpose = "null" })),
        ("No figures", Apply(Good with { Cases = [] })),
        ("A failed case", Apply(Good with { Cases = [Good.Cases[0], Good.Cases[1] with { Error = "wrong checksum", Summary = null, Samples = null }] })),
        ("Unverified cases beside others", Apply(Runs.Of([.. Good.Cases, .. Unverified]))),
        ("Unverified cases only", Apply(Runs.Of(Unverified))),
        ("One process", Apply(Good with
        {
            Cases = [.. Good.Cases.Select(item => item with { Samples = item.Samples! with { Launch = [0, 0] } })],
        })),
        ("Much noise, the worst first, without what is usual", Apply(Good with
        {
            Noise =
            [
                JudgeTests.NoiseOf(Good.Cases[0].Parameters, 0.06),
                JudgeTests.NoiseOf(Good.Cases[0].Parameters with { Cache = "cold" }, 0.08),
                JudgeTests.NoiseOf(Good.Cases[0].Parameters with { Buffer = 2048 }, 0.04),
            ],
        })));

    [Fact]
    public void Settings_of_the_suite_itself_are_no_flaw()
    {
        LabResults results = Good with { Engine = Good.Engine with { RuntimeSettings = new TransfersSuite().Environment } };
        Assert.Empty(Apply(results with { Suite = "transfers" }));
        Assert.NotEmpty(Apply(results with { Suite = "files" }));
    }

    [Fact]
    public void Flaws_come_first_and_methods_measured_against_themselves_give_no_other_advice()
    {
        Assert.Single(Advisor.Advise(Good with { Purpose = "null" }));
        Assert.Equal(AdviceKind.Error, Advisor.Advise(Good with { Engine = Good.Engine with { Build = "Debug" } })[0].Kind);
        Assert.Equal(AdviceKind.Warning, Advisor.Advise(Good with { Interrupted = true })[0].Kind);
    }

    [Fact]
    public void Unverified_cases_are_used_only_where_there_are_no_others()
    {
        Assert.Equal(Good.Cases.Count, new SituatedCases(Runs.Of([.. Good.Cases, .. Unverified])).All.Count);
        Assert.Equal(Unverified.Length, new SituatedCases(Runs.Of(Unverified)).All.Count);
    }

    [Fact]
    public void Older_files_without_some_lists_are_valid()
    {
        LabResults old = Good with
        {
            Launches = null!,
            Noise = null!,
            Warnings = null!,
            Absent = null!,
            Engine = Good.Engine with { RuntimeSettings = null! },
        };
        Assert.Empty(Apply(old));
        Assert.NotEmpty(Advisor.Advise(old));
    }

    private static Advice[] Apply(LabResults results) => Runs.Apply(TrustRules.Apply, results);
}

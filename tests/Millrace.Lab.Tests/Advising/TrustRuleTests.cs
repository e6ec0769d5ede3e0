namespace Millrace.Lab.Tests.Advising;

public sealed class TrustRuleTests
{
    private static readonly LabResults Good = Runs.Of(Runs.Case("FileStreamSync", 4096, 20), Runs.Case("FilePipe", 4096, 10));

    private static CaseResult[] Unverified =>
    [
        .. new[] { 1, 2, 3, 4, 5 }.Select(i => Runs.Case("FilePipe", i * 1024, 10) with
        {
            Verified = false,
            UnverifiedReason = "not resident",
        }),
    ];

    private static readonly Dictionary<string, LabResults> Flawed = new()
    {
        ["The build was not optimised"] = Good with { Engine = Good.Engine with { Build = "Debug" } },
        ["The run ended before it was complete"] = Good with { Interrupted = true },
        ["The machine was busy"] = Good with { Machine = Good.Machine with { Cores = 2, LoadAverage = 0.51 } },
        ["The compiler was still at work"] = Good with { Engine = Good.Engine with { CompilerQuiet = false } },
        ["Environment variables changed"] =
            Good with { Engine = Good.Engine with { RuntimeSettings = new Dictionary<string, string> { ["DOTNET_TieredPGO"] = "0" } } },
        ["the clock went backwards"] = Good with { Warnings = ["the clock went backwards"] },
    };

    public static TheoryData<string> Statements => [.. Flawed.Keys];

    [Theory]
    [MemberData(nameof(Statements))]
    public void Flaw_of_a_run_is_named(string statement) => Check(
        Flawed[statement], Flawed[statement].Engine.Build == "Debug" ? AdviceKind.Error : AdviceKind.Warning, statement);

    [Fact]
    public void Flawless_run_has_no_warnings() => Assert.Empty(Runs.Apply(TrustRules.Apply, Good));

    [Fact]
    public void Settings_of_the_suite_itself_are_no_flaw()
    {
        LabResults results = Good with { Engine = Good.Engine with { RuntimeSettings = new TransfersSuite().Environment } };

        Assert.Empty(Runs.Apply(TrustRules.Apply, results with { Suite = "transfers" }));
        Assert.NotEmpty(Runs.Apply(TrustRules.Apply, results with { Suite = "files" }));
    }

    [Fact]
    public void Methods_measured_against_themselves_are_an_error_and_the_only_advice()
    {
        LabResults results = Good with { Purpose = "null" };
        Check(results, AdviceKind.Error, "measured every method against itself");
        Assert.Single(Advisor.Advise(results));
    }

    [Fact]
    public void No_figures_are_an_error()
    {
        Advice advice = Assert.Single(Runs.Apply(TrustRules.Apply, Good with { Cases = [] }));
        Assert.Equal(AdviceKind.Error, advice.Kind);
        Assert.Contains("No case has figures", advice.Statement, StringComparison.Ordinal);
    }

    [Fact]
    public void Failed_cases_are_named_with_their_reason()
    {
        CaseResult failed = Good.Cases[1] with { Error = "wrong checksum", Summary = null, Samples = null };
        Advice advice = Check(Good with { Cases = [Good.Cases[0], failed] }, AdviceKind.Warning, "1 case failed and is missing");
        Assert.Equal("FilePipe/128MiB/4096/SequentialScan/hot/large writes: wrong checksum", Assert.Single(advice.EvidenceTexts));
    }

    [Fact]
    public void Unverified_cases_are_counted_and_the_first_three_named_and_all_are_left_out()
    {
        LabResults results = Runs.Of([.. Good.Cases, .. Unverified]);
        Advice advice = Check(
            results, AdviceKind.Warning, "5 cases did not always begin in their declared state, and are left out below.");
        Assert.Equal(4, advice.Evidence.Count);
        Assert.Equal("and 2 more", advice.Evidence[^1].Text);
        Assert.Equal(Good.Cases.Count, new SituatedCases(results).All.Count);
    }

    [Fact]
    public void Unverified_cases_are_used_where_there_are_no_others()
    {
        LabResults results = Runs.Of(Unverified);
        Check(results, AdviceKind.Warning, "No case was verified");
        Assert.Equal(5, new SituatedCases(results).All.Count);
    }

    [Fact]
    public void One_process_is_a_warning()
    {
        LabResults one = Good with
        {
            Cases = [.. Good.Cases.Select(item => item with { Samples = item.Samples! with { Launch = [0, 0] } })],
        };
        Advice advice = Check(one, AdviceKind.Warning, "One process measured everything");
        Assert.Equal("millrace lab files --launches 3", advice.Check);
    }

    [Fact]
    public void Load_before_a_later_launch_is_ignored() => Assert.Empty(Runs.Apply(TrustRules.Apply, Good with
    {
        Machine = Good.Machine with { Cores = 2, LoadAverage = 0.1 },
        Launches = [Good.Launches[0] with { LoadAverage = 1.9 }],
    }));

    [Fact]
    public void Compiler_at_work_is_no_matter_without_a_warm_up() => Assert.Empty(
        Runs.Apply(TrustRules.Apply, Good with { Engine = Good.Engine with { CompilerQuiet = false, WarmUpPhases = 0 } }));

    [Fact]
    public void Much_noise_is_a_warning_with_the_worst_first()
    {
        LabResults results = Good with
        {
            Noise =
            [
                JudgeTests.NoiseOf(Good.Cases[0].Parameters, 0.06),
                JudgeTests.NoiseOf(Good.Cases[0].Parameters with { Cache = "cold" }, 0.08),
                JudgeTests.NoiseOf(Good.Cases[0].Parameters with { Buffer = 2048 }, 0.04),
            ],
        };
        Advice advice = Check(results, AdviceKind.Warning, "differed from itself by up to 8.0 %");
        Assert.Equal(2, advice.Evidence.Count);
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
        Assert.Empty(Runs.Apply(TrustRules.Apply, old));
        Assert.NotEmpty(Advisor.Advise(old));
    }

    private static Advice Check(LabResults results, AdviceKind kind, string statement)
    {
        Advice advice = Assert.Single(Runs.Apply(TrustRules.Apply, results));
        Assert.Equal(kind, advice.Kind);
        Assert.Contains(statement, advice.Statement, StringComparison.Ordinal);
        Assert.NotEmpty(advice.Action);
        Assert.StartsWith("millrace lab files", advice.Check, StringComparison.Ordinal);

        // Errors come first.
        Assert.Equal(statement, Advisor.Advise(results)[0].Statement.Contains(statement, StringComparison.Ordinal) ? statement : null);
        return advice;
    }
}

using System.Text.RegularExpressions;
using Millrace.Lab.Reporting;

namespace Millrace.Lab.Tests.Advising;

/// <summary>Advice and figures from the results of this repository.</summary>
public sealed partial class CommittedAdviceTests
{
    private const double MaxAdvised = 1.1;

    public static TheoryData<string> Files =>
        [.. ResultsFolder.ReadAll(Path.Combine(Repository.Root, "results")).Runs.Select(run => Path.GetRelativePath(Repository.Root, run.Path))];

    [Theory, MemberData(nameof(Files))]
    public void No_method_advised_for_its_speed_is_slower_than_a_tenth_more_than_the_best(string file)
    {
        LabResults results = ResultsFile.Read(Path.Combine(Repository.Root, file));
        var cases = new SituatedCases(results);
        foreach (Advice advice in Advisor.Advise(results).Where(advice => advice.Claim is null && advice.Topic is "method" or "buffer" or "waiting"))
        {
            Situation situation = cases.Situations.Single(item => advice.Statement.StartsWith(item.Name + ":", StringComparison.Ordinal));
            double best = situation.Cases.Min(Figures.Median);
            foreach (Match advised in Advised().Matches(advice.Action))
            {
                double time = Figures.Median(situation.Best(advised.Groups[1].Value)!);
                Assert.True(time <= MaxAdvised * best, $"{situation.Name}: {advice.Action} ({time / best:0.00} of the best)");
            }
        }
    }

    [Theory, MemberData(nameof(Files))]
    public void Two_cases_have_one_ratio_wherever_it_is_shown(string file)
    {
        LabResults results = ResultsFile.Read(Path.Combine(Repository.Root, file));
        foreach (CaseResult item in results.Cases.Where(item => item is { Role: null, Summary: not null, Verdicts.Count: > 0 }))
        {
            CaseResult? baseline = results.Cases.FirstOrDefault(
                other => other is { Baseline: true, Role: null, Summary: not null } && other.Parameters == item.Parameters);
            if (baseline is not null && CaseColumn.RatioOf(item) is { } shown && item != baseline)
            {
                Assert.Equal(shown, Figures.RatioOf(item, baseline), 12);
                Assert.Equal(shown, 1 / Figures.RatioOf(baseline, item), 12);
                Assert.Equal(shown, new Suites.CasePair(item, baseline).Ratio, 12);
            }
        }
    }

    [Theory, MemberData(nameof(Files))]
    public void No_smaller_time_is_called_more_than_one_time_as_long(string file)
    {
        foreach (string evidence in Advisor.Advise(ResultsFile.Read(Path.Combine(Repository.Root, file))).SelectMany(advice => advice.EvidenceTexts))
        {
            Match match = Against().Match(evidence);
            if (match.Success && Number(1) is var mine && Number(2) is var other && mine != other)
            {
                Assert.True((mine > other) == (Number(3) > 1) || Number(3) == 1, evidence);
            }

            double Number(int group) => double.Parse(match.Groups[group].Value, CultureInfo.InvariantCulture);
        }
    }

    [GeneratedRegex(@"(?:Use|use|take) ([A-Z]\w+)")]
    private static partial Regex Advised();

    [GeneratedRegex(@"([\d.]+) ms against ([\d.]+) ms, ([\d.]+) times")]
    private static partial Regex Against();
}

using Millrace.Lab.Comparing;
using Millrace.Lab.Reporting;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>Prints comparisons: the answer in a sentence, then what changed, the largest first.</summary>
/// <param name="inFull">Metrics of which every case is shown.</param>
/// <param name="all">Whether the cases that did not change are shown, too.</param>
internal sealed class ComparePrinter(IAnsiConsole console, MetricKind[] inFull, bool all)
{
    private const int ReasonsShown = 4;
    private const int LongestDifference = 60;

    public void Write(RunComparison comparison)
    {
        console.WriteLine();
        if (comparison.Cases.Count > 0)
        {
            console.MarkupLineInterpolated($"[bold]{Answer(comparison)}[/]");
        }

        Line($"{comparison.Suite}: {comparison.Other} compared with {comparison.Reference}");
        Line(Basis(comparison));
        foreach (MachineDifference difference in comparison.Differences)
        {
            Line($"  {difference.Field}: {Short(difference.First)} / {Short(difference.Second)}");
        }

        foreach (string note in comparison.Notes)
        {
            console.MarkupLineInterpolated($"[yellow]{note}[/]");
        }

        if (comparison.Cases.Count == 0)
        {
            return;
        }

        WriteCases(comparison);
        WriteOthers(comparison);
        WriteReasons(comparison);
    }

    /// <summary>For example "Of 64 cases, 3 are slower (1.10 to 1.31 times the time); 4 are faster (0.70 to 0.92 times the time); 57 show no difference."</summary>
    private static string Answer(RunComparison comparison)
    {
        int count = comparison.Cases.Count;
        string[] parts =
        [
            .. new[] { VerdictWords.Slower, VerdictWords.Faster }
                .Select(word => (Word: word, Cases: comparison.Cases.Where(item => item.Verdict.Verdict == word).ToArray()))
                .Where(part => part.Cases.Length > 0)
                .Select(part => $"{Are(part.Cases.Length)} {part.Word} ({Figures.Times(part.Cases.Select(item => item.Verdict.Ratio ?? 1))} the time)"),
        ];
        int open = comparison.Count(VerdictWords.TooLittleData);
        int same = comparison.Count(VerdictWords.Same) + comparison.Count(VerdictWords.Noise);
        string rest = string.Join("; ", new[]
        {
            same == 0 ? null : $"{(same == 1 ? "1 shows" : $"{same} show")} no difference",
            open == 0 ? null : $"{(open == 1 ? "1 has" : $"{open} have")} too little data",
        }.OfType<string>());
        string of = $"Of {(count == 1 ? "1 case" : $"{count} cases")}, ";
        return parts.Length > 0
            ? of + string.Join("; ", parts.Append(rest).Where(part => part.Length > 0)) + "."
            : same == 0 ? $"No verdict: {rest}." : $"Nothing became faster or slower: of {(count == 1 ? "1 case" : $"{count} cases")}, {rest}.";
    }

    private static string Are(int count) => count == 1 ? "1 is" : $"{count} are";

    private string Short(string text) => all || text.Length <= LongestDifference ? text : text[..LongestDifference] + "…";

    private static string Basis(RunComparison comparison)
    {
        string machine = comparison switch
        {
            { SameMachine: false } => "Another machine",
            { Differences.Count: > 0 } => "The same machine with other software or settings",
            _ => "The same machine",
        };
        string basis = comparison.Basis switch
        {
            ComparisonBasis.AdjustedTime => "compared by time, less the machine's drift",
            ComparisonBasis.Time => "compared by time as measured",
            _ => "compared by ratio to the baseline, and by rank",
        };
        return $"{machine}: {basis}.";
    }

    // What changed, the largest change first; then, with --all, the others in the order of the run.
    private void WriteCases(RunComparison comparison)
    {
        CaseComparison[] changed =
        [
            .. comparison.Cases.Where(item => VerdictWords.NamesDifference(item.Verdict.Verdict))
                .OrderByDescending(item => Math.Abs(Math.Log(item.Verdict.Ratio ?? 1))),
        ];
        CaseComparison[] others = all ? [.. comparison.Cases.Except(changed)] : [];
        CaseComparison[] shown = [.. changed, .. others];
        if (shown.Length > 0)
        {
            string[][] names = [.. shown.Select(item => item.Parameters.Describe().Split('/'))];
            string[] common = shown.Length == 1 ? [] : [.. names[0].Where(part => names.All(name => name.Contains(part)))];
            if (common.Length > 0)
            {
                Line($"All cases below: {string.Join(", ", common)}.");
            }

            Table(comparison, shown, [.. names.Select(name => string.Join('/', name.Except(common)))], changed.Length);
        }

        if (!all && changed.Length < comparison.Cases.Count)
        {
            Line($"{(changed.Length == 0 ? "Every case" : "The other cases")} with --all.");
        }
    }

    private void Table(RunComparison comparison, CaseComparison[] shown, string[] names, int changed)
    {
        bool byRatio = comparison.Basis == ComparisonBasis.Ratio;
        new TextTable(
            ["Method", "Case", "Verdict", "Reference ms", "Now ms", byRatio ? "Ratio's ratio" : "Ratio", "95 %", "Threshold",
                byRatio ? "Rank" : "By baseline"],
            TextColumns: 3,
            shown.Select((item, index) => (IReadOnlyList<Cell>)
            [
                item.Method,
                names[index],
                VerdictText.CellOf(item.Verdict),
                Ms(item.ReferenceNs),
                Ms(item.OtherNs),
                Number(item.Verdict.Ratio),
                item.Verdict.Low is null ? "-" : $"{item.Verdict.Low:0.00}–{item.Verdict.High:0.00}",
                item.Verdict.Threshold is { } threshold ? $"{threshold:P0}" : "-",
                byRatio ? Rank(item) : item.AgainstBaseline is { } check ? VerdictText.CellOf(check, $"{Number(check.Ratio)} ") : "-",
            ]))
        { BeginsBlock = index => index == changed && changed > 0 }.Write(console);
    }

    private void WriteOthers(RunComparison comparison)
    {
        foreach (MetricKind kind in Metrics.All)
        {
            (CaseComparison Case, VerdictResult Verdict)[] verdicts =
            [
                .. from item in comparison.Cases
                   from verdict in item.Others
                   where verdict.Metric == kind.Name
                   select (item, verdict),
            ];
            if (verdicts.Length == 0)
            {
                if (inFull.Contains(kind) && kind != Metrics.WallNs)
                {
                    Line($"{kind.Title}: not in both runs.");
                }

                continue;
            }

            Line($"{kind.Title}: "
                + string.Join(", ", verdicts.GroupBy(one => one.Verdict.Verdict).Select(group => $"{group.Count()} {group.Key}")));
            foreach ((CaseComparison item, VerdictResult verdict) in verdicts.Where(one =>
                inFull.Contains(kind) || (all && VerdictWords.NamesDifference(one.Verdict.Verdict))))
            {
                console.MarkupLine(
                    $"  {Markup.Escape($"{item.Method} {item.Parameters.Describe()}")}: {VerdictText.Of(verdict)}, "
                    + Markup.Escape($"{Number(verdict.Ratio)} times; {verdict.Reason}"));
            }
        }

        console.WriteLine();
    }

    private void WriteReasons(RunComparison comparison)
    {
        IGrouping<string, CaseComparison>[] reasons =
        [
            .. comparison.Cases
                .Where(item => item.Verdict.Verdict is VerdictWords.TooLittleData or VerdictWords.Noise && item.Verdict.Reason is not null)
                .Where(item => all || item.Verdict.Verdict == VerdictWords.TooLittleData)
                .GroupBy(item => $"{item.Verdict.Verdict}: {item.Verdict.Reason!.Split(';')[0]}")
                .OrderByDescending(group => group.Count()),
        ];
        foreach (IGrouping<string, CaseComparison> reason in reasons.Take(ReasonsShown))
        {
            Line($"{reason.Count()} × {reason.Key}");
        }

        if (reasons.Length > ReasonsShown)
        {
            Line($"and {reasons.Length - ReasonsShown} other reasons; --json has all of them.");
        }
    }

    private static string Rank(CaseComparison item) =>
        item is { ReferenceRank: { } before, OtherRank: { } after } ? before == after ? $"{after}" : $"{before} to {after}" : "-";

    private static string Ms(double? nanoseconds) => nanoseconds is { } value
        ? (value / 1e6).ToString(value < 1e7 ? "0.000" : "0.00", null)
        : "-";

    private static string Number(double? value) => value is { } number ? $"{number:0.00}" : "-";

    private void Line(string text) => console.MarkupLineInterpolated($"{text}");
}

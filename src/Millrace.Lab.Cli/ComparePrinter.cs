namespace Millrace.Lab.Cli;

internal sealed class ComparePrinter
{
    private const int ReasonsShown = 4;

    private readonly IAnsiConsole _console;
    private readonly MetricKind[] _inFull;

    public ComparePrinter(IAnsiConsole console, MetricKind[] inFull)
    {
        _console = console;
        _inFull = inFull;
    }

    public void Write(RunComparison comparison)
    {
        _console.WriteLine();
        _console.MarkupLineInterpolated($"[bold]{comparison.Suite}: {comparison.Other}[/]");
        Line($"compared with {comparison.Reference}");
        Line(Basis(comparison));
        foreach (MachineDifference difference in comparison.Differences)
        {
            Line($"  {difference}");
        }

        foreach (string note in comparison.Notes)
        {
            _console.MarkupLineInterpolated($"[yellow]{note}[/]");
        }

        if (comparison.Cases.Count == 0)
        {
            return;
        }

        WriteCases(comparison);
        WriteOthers(comparison);
        WriteReasons(comparison);
        string[] words =
            [VerdictWords.Slower, VerdictWords.Faster, VerdictWords.Same, VerdictWords.Noise, VerdictWords.TooLittleData];
        _console.MarkupLineInterpolated(
            $"[bold]{string.Join(", ", words.Select(word => $"{comparison.Count(word)} {word}"))}[/]");
    }

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

    private void WriteCases(RunComparison comparison)
    {
        bool byRatio = comparison.Basis == ComparisonBasis.Ratio;
        new TextTable(
            ["Method", "Case", "Verdict", "Reference ms", "Now ms", byRatio ? "Ratio's ratio" : "Ratio", "95 %", "Threshold",
                byRatio ? "Rank" : "By baseline"],
            TextColumns: 3,
            comparison.Cases.Select(item => (IReadOnlyList<Cell>)
            [
                item.Method,
                item.Parameters.Describe(),
                VerdictText.CellOf(item.Verdict),
                Ms(item.ReferenceNs),
                Ms(item.OtherNs),
                Number(item.Verdict.Ratio),
                item.Verdict.Low is null ? "-" : $"{item.Verdict.Low:0.00}–{item.Verdict.High:0.00}",
                item.Verdict.Threshold is { } threshold ? $"{threshold:P0}" : "-",
                byRatio ? Rank(item) : item.AgainstBaseline is { } check ? VerdictText.CellOf(check, $"{Number(check.Ratio)} ") : "-",
            ])).Write(_console);
    }

    private void WriteOthers(RunComparison comparison)
    {
        foreach (MetricKind kind in Metrics.All)
        {
            (CaseComparison Case, VerdictResult Verdict)[] all =
            [
                .. from item in comparison.Cases
                   from verdict in item.Others
                   where verdict.Metric == kind.Name
                   select (item, verdict),
            ];
            if (all.Length == 0)
            {
                if (_inFull.Contains(kind) && kind != Metrics.WallNs)
                {
                    Line($"{kind.Title}: not in both runs.");
                }

                continue;
            }

            Line($"{kind.Title}: "
                + string.Join(", ", all.GroupBy(one => one.Verdict.Verdict).Select(group => $"{group.Count()} {group.Key}")));
            foreach ((CaseComparison item, VerdictResult verdict) in all.Where(one =>
                _inFull.Contains(kind) || VerdictWords.NamesDifference(one.Verdict.Verdict)))
            {
                _console.MarkupLine(
                    $"  {Markup.Escape($"{item.Method} {item.Parameters.Describe()}")}: {VerdictText.Of(verdict)}, "
                    + Markup.Escape($"{Number(verdict.Ratio)} times; {verdict.Reason}"));
            }
        }

        _console.WriteLine();
    }

    private void WriteReasons(RunComparison comparison)
    {
        IGrouping<string, CaseComparison>[] reasons =
        [
            .. comparison.Cases
                .Where(item => item.Verdict.Verdict is VerdictWords.TooLittleData or VerdictWords.Noise && item.Verdict.Reason is not null)
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

    private void Line(string text) => _console.MarkupLineInterpolated($"{text}");
}

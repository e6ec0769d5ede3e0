using Spectre.Console;

namespace Millrace.Lab.Reporting;

/// <summary>Prints results in a terminal, or readably into a file or a pipe: the answer, a picture, advice, then the tables.</summary>
internal static class ConsoleReport
{
    // The width of the widest table.
    private const int FullWidth = 190;

    public static void Write(IAnsiConsole console, LabResults results)
    {
        CaseGroup[] groups = [.. CaseGroup.Of(results)];
        if (ReportedFinding.Of(results) is { } finding)
        {
            console.WriteLine();
            AdviceText.Paragraph(console, finding, "", "bold");
        }

        IReadOnlyList<Advice> advice = Advisor.Advise(results);
        foreach (Advice item in advice.Where(item => item.IsAboutTrust))
        {
            AdviceText.Paragraph(console, $"{item.Statement} {item.Action}", "(!) ", "yellow");
        }

        console.WriteLine();
        foreach (string line in CaseGroup.Main(groups)?.Picture() ?? [])
        {
            console.MarkupLineInterpolated($"{line}");
        }

        WriteAdvice(console, [.. advice.Where(item => item is { Claim: null, IsAboutTrust: false })]);
        bool isNarrow = console.Profile.Width < FullWidth;
        foreach (CaseGroup group in groups)
        {
            console.WriteLine();
            console.MarkupLineInterpolated($"[bold]{group.Title}[/]");
            group.Table(isNarrow ? Places.Narrow : Places.Narrow | Places.Wide).Write(console);
            foreach (CaseResult item in group.Cases.Where(item => item.Summary is null))
            {
                console.MarkupLineInterpolated($"[red]{item.Method} {item.Parameters.Describe()}: {CaseGroup.Failure(item)}[/]");
            }
        }

        if (isNarrow)
        {
            console.MarkupLine("[dim]More columns (mean, error, deviations, speed, processor time, collections) in report.md or a wider window.[/]");
        }

        WriteNotes(console, results);
        Targets(results)?.Write(console);
    }

    /// <summary>The measured targets of a run that was asked for them; null otherwise: they are this project's, not the reader's.</summary>
    public static TextTable? Targets(LabResults results) => !results.FailsUnderTargets() || results.Targets.All(target => target.Met is null) ? null : new TextTable(
        ["Figure", "Target", "Measured", "Met"],
        TextColumns: 3,
        results.Targets.Where(target => target.Met is not null).Select(target => (IReadOnlyList<Cell>)
        [
            target.Figure,
            target.Limit,
            target.Measured,
            target.Met switch { true => new Cell("yes", Tone.Good), false => new Cell("NO", Tone.Bad), null => "-" },
        ]))
    {
        Wrapping = ["Figure", "Target", "Measured"],
    };

    /// <summary>The cases that were not measured, or not as stated.</summary>
    public static IEnumerable<string> Notes(LabResults results) => results.Absent
        .Select(absent => $"Not measured: {absent.What}: {absent.Reason}.")
        .Concat(results.Cases.Where(item => item.UnverifiedReason is not null).Select(item =>
            $"{item.Method} {item.Parameters.Describe()}: {item.Samples?.Unverified?.Count ?? 0} samples not verified: "
            + item.UnverifiedReason));

    // The statements only; `lab advise` and the reports have the evidence.
    private static void WriteAdvice(IAnsiConsole console, Advice[] own)
    {
        if (own.Length > 0)
        {
            console.WriteLine();
            console.MarkupLine("[bold]Advice[/]");
        }

        foreach (Advice item in own)
        {
            AdviceText.Paragraph(console, $"{item.Statement} {item.Action}", "  - ", "default");
        }
    }

    private static void WriteNotes(IAnsiConsole console, LabResults results)
    {
        foreach (string note in Notes(results))
        {
            console.MarkupLineInterpolated($"[yellow](!) {note}[/]");
        }

        if (results.Noise.Count > 0)
        {
            double[] noise = [.. results.Noise.Select(item => item.Deviation).Order()];
            console.MarkupLineInterpolated(
                $"Noise: the baseline's medians differed from its own second copy's by {noise[noise.Length / 2]:P1} typically, {noise[^1]:P1} at most.");
        }
    }
}

using Millrace.Lab.Published;
using Spectre.Console;

namespace Millrace.Lab.Advising;

/// <summary>Prints advice in a terminal, or readably into a file or a pipe.</summary>
internal static class AdviceConsole
{
    // Longer lines are hard to read, and code and commands need a margin of their own.
    private const int WidestText = 80;
    private const string Bullet = "  - ";
    private const string Arrow = "  -> ";
    private const string CodeMargin = "     ";
    private const string CheckMargin = "  again: ";

    /// <summary>Prints it.</summary>
    public static void Write(IAnsiConsole console, IReadOnlyList<Advice> advice, IReadOnlyList<PublishedBeside> beside)
    {
        ArgumentNullException.ThrowIfNull(console);
        ArgumentNullException.ThrowIfNull(advice);
        ArgumentNullException.ThrowIfNull(beside);
        var shown = new HashSet<string>();
        foreach ((string title, IReadOnlyList<Advice> items) in AdviceSections.Of(advice))
        {
            Heading(console, title);
            foreach (Advice item in items)
            {
                Write(console, item, withCode: item.Code is not null && shown.Add(item.Code));
            }
        }

        string[] lines = [.. AdviceSections.Beside(beside)];
        if (lines.Length > 0)
        {
            Heading(console, "Published ratios beside this machine's");
            foreach (string line in lines)
            {
                Paragraph(console, line, Bullet, "default");
            }

            console.WriteLine();
        }
    }

    private static void Heading(IAnsiConsole console, string title)
    {
        console.MarkupLineInterpolated($"[bold underline]{title}[/]");
        console.WriteLine();
    }

    private static void Write(IAnsiConsole console, Advice item, bool withCode)
    {
        (string mark, string colour) = Mark(item);
        Paragraph(console, $"{mark}: {item.Claim?.Says ?? item.Statement}", "", colour);
        if (item.Claim is { } claim)
        {
            Paragraph(console, claim.Reason, "  ", "default");
        }

        foreach (string evidence in item.EvidenceTexts)
        {
            Paragraph(console, evidence, Bullet, "default");
        }

        Paragraph(console, item.Action, Arrow, "bold");
        foreach (string line in withCode ? item.Code!.Split('\n') : [])
        {
            Line(console, CodeMargin + line, "blue");
        }

        if (!withCode && item.Code is { } code)
        {
            // The same lines were printed further up; their first one says which.
            Line(console, $"{CodeMargin}{code.Split('\n')[0]} ...", "blue");
        }

        // Past the console, which would break the line: it is there to be copied.
        console.Profile.Out.Writer.WriteLine(CheckMargin + item.Check);
        if (item.Claim is { } source)
        {
            Paragraph(console, source.Whose, "  from: ", "dim");
            console.Profile.Out.Writer.WriteLine($"  {source.Source}");
        }

        console.WriteLine();
    }

    private static (string Mark, string Colour) Mark(Advice item) => item switch
    {
        { Claim.Holds: Holds.Yes } => ("HOLDS", "green"),
        { Claim.Holds: Holds.No } => ("DOES NOT HOLD", "yellow"),
        { Claim.Holds: Holds.CannotBeTold } => ("CANNOT BE TOLD", "default"),
        { Kind: AdviceKind.Error } => ("ERROR", "red"),
        { Kind: AdviceKind.Warning } => ("WARNING", "yellow"),
        _ => ("HINT", "green"),
    };

    private static void Paragraph(IAnsiConsole console, string text, string first, string style)
    {
        string margin = new(' ', first.Length);
        int width = Math.Max(20, Math.Min(console.Profile.Width, WidestText) - first.Length);
        string begin = first;
        foreach (string line in TextWrap.Lines(text, width))
        {
            Line(console, begin + line, style);
            begin = margin;
        }
    }

    private static void Line(IAnsiConsole console, string text, string style) =>
        console.MarkupLine($"[{style}]{Markup.Escape(text)}[/]");
}

using Spectre.Console;

namespace Millrace.Lab.Advising;

/// <summary>Advice for people: the run's flaws, what to do, published conclusions; in a terminal and as Markdown.</summary>
internal static class AdviceText
{
    // Longer lines are hard to read; code and commands have another margin.
    private const int WidestText = 80;
    private const string BesideTitle = "Published ratios beside this machine's";
    private const string CodeMargin = "     ";

    public static IEnumerable<(string Title, IReadOnlyList<Advice> Advice)> Sections(IReadOnlyList<Advice> advice) =>
        new (string Title, IReadOnlyList<Advice> Advice)[]
        {
            ("Before you trust it", [.. advice.Where(item => item.Claim is null && item.Kind != AdviceKind.Hint)]),
            ("Advice", [.. advice.Where(item => item.Claim is null && item.Kind == AdviceKind.Hint)]),
            ("Published conclusions, tested here", [.. advice.Where(item => item.Claim is not null)]),
        }.Where(section => section.Advice.Count > 0);

    // The ratios of each method and option, theirs and ours, in a sentence each.
    private static IEnumerable<string> Sentences(IReadOnlyList<PublishedBeside> beside) => beside
        .GroupBy(item => (item.Set, item.Method, item.OurMethod, item.Parameters.Options))
        .Select(group =>
        {
            string ours = group.Key.Method == group.Key.OurMethod ? "" : $" (here {group.Key.OurMethod})";
            string options = group.Key.Options is null or "SequentialScan" ? "" : $", {group.Key.Options}";
            string cases = group.Count() == 1 ? "1 common case" : $"{group.Count()} common cases";
            return $"{group.Key.Method}{ours}{options}: {Figures.Times(group.Select(item => item.Published))} there, "
                + $"{Figures.Times(group.Select(item => item.Ours))} here, {cases} ({group.Key.Set})";
        });

    /// <summary>How far a published conclusion holds, for example "mostly holds here".</summary>
    public static string Words(Holds holds) => holds switch
    {
        Holds.Yes => "holds here",
        Holds.Mostly => "mostly holds here",
        Holds.No => "not confirmed here",
        _ => "inconclusive",
    };

    /// <summary>The answer, what reduces its value, what to do, and how published conclusions fare: a sentence each.</summary>
    /// <param name="finding">The run's own sentence; null where it has none.</param>
    public static void WriteShort(IAnsiConsole console, string? finding, IReadOnlyList<Advice> advice)
    {
        if (finding is not null)
        {
            Paragraph(console, finding, "", "bold");
        }

        foreach (Advice item in advice.Where(item => item.IsAboutTrust))
        {
            Paragraph(console, item.Statement, item.Kind == AdviceKind.Error ? "ERROR: " : "WARNING: ", Mark(item).Colour);
        }

        console.WriteLine();
        // One of each topic: the others say the same of other files.
        Advice[] own = [.. advice.Where(item => item is { Claim: null, IsAboutTrust: false })];
        Advice[] hints = [.. own.OrderBy(item => item.Kind == AdviceKind.Warning).DistinctBy(item => item.Topic)];
        foreach (Advice item in hints)
        {
            Paragraph(console, item.Statement, "", item.Kind == AdviceKind.Hint ? "default" : "yellow");
            Paragraph(console, item.Action, "  -> ", "bold");

            // The lines of the first recommendation are the answer; the others are one option away.
            foreach (string line in item == hints[0] ? item.Code?.Split('\n') ?? [] : [])
            {
                Line(console, CodeMargin + line, "blue");
            }
        }

        if (own.Length > hints.Length)
        {
            Line(console, $"{own.Length - hints.Length} more like these for other files and states.", "dim");
        }

        if (advice.Any(item => item.Claim is not null))
        {
            console.WriteLine();
            Heading(console, "Published conclusions, tested here", blank: false);
        }

        foreach (IGrouping<Holds, TestedClaim> claims in advice.Select(item => item.Claim).OfType<TestedClaim>().GroupBy(claim => claim.Holds).OrderBy(claims => claims.Key))
        {
            Line(console, $"  {Figures.Capital(Words(claims.Key))}:", "default");
            foreach (TestedClaim claim in claims)
            {
                Paragraph(console, claim.Says, "    - ", "default");
            }
        }

        console.WriteLine();
        Paragraph(console, "With --verbose: all of it with the evidence, lines of C#, and the command that checks each.", "", "dim");
    }

    /// <summary>Everything, with its evidence, its lines of C# and the command that checks it.</summary>
    public static void Write(IAnsiConsole console, IReadOnlyList<Advice> advice, IReadOnlyList<PublishedBeside> beside)
    {
        var shown = new HashSet<string>();
        foreach ((string title, IReadOnlyList<Advice> items) in Sections(advice))
        {
            Heading(console, title);
            foreach (Advice item in items)
            {
                Write(console, item, withCode: item.Code is not null && shown.Add(item.Code));
            }
        }

        if (beside.Count > 0)
        {
            Heading(console, BesideTitle);
            foreach (string line in Sentences(beside))
            {
                Paragraph(console, line, "  - ", "default");
            }

            console.WriteLine();
        }
    }

    private static void Heading(IAnsiConsole console, string title, bool blank = true)
    {
        console.MarkupLineInterpolated($"[bold underline]{title}[/]");
        if (blank)
        {
            console.WriteLine();
        }
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
            Paragraph(console, evidence, "  - ", "default");
        }

        Paragraph(console, item.Action, "  -> ", "bold");
        if (item.Code?.Split('\n') is { } lines)
        {
            // Lines that were printed further up are not repeated: the first one names them.
            foreach (string line in withCode ? lines : [$"{lines[0]} ..."])
            {
                Line(console, CodeMargin + line, "blue");
            }
        }

        // Past the console, which would break the line: it is there to be copied.
        console.Profile.Out.Writer.WriteLine($"  to check: {item.Check}");
        if (item.Claim is { } source)
        {
            Paragraph(console, source.Whose, "  from: ", "dim");
            console.Profile.Out.Writer.WriteLine($"  {source.Source}");
        }

        console.WriteLine();
    }

    private static (string Mark, string Colour) Mark(Advice item) => item switch
    {
        { Claim: { } claim } => (
            Words(claim.Holds).Replace(" here", "", StringComparison.Ordinal).ToUpperInvariant(),
            claim.Holds switch { Holds.Yes or Holds.Mostly => "green", Holds.No => "yellow", _ => "default" }),
        { Kind: AdviceKind.Error } => ("ERROR", "red"),
        { Kind: AdviceKind.Warning } => ("WARNING", "yellow"),
        _ => ("HINT", "green"),
    };

    public static void Paragraph(IAnsiConsole console, string text, string first, string style)
    {
        int width = Math.Max(20, Math.Min(console.Profile.Width, WidestText) - first.Length);
        string margin = first;
        foreach (string line in Wrap(text, width))
        {
            Line(console, margin + line, style);
            margin = new string(' ', first.Length);
        }
    }

    private static void Line(IAnsiConsole console, string text, string style) =>
        console.MarkupLine($"[{style}]{Markup.Escape(text)}[/]");

    /// <summary>Breaks text at spaces; a longer word has a whole line, uncut, so that it can be copied.</summary>
    internal static IEnumerable<string> Wrap(string text, int width)
    {
        string line = "";
        foreach (string word in text.Split((char[])[' ', '\n'], StringSplitOptions.RemoveEmptyEntries))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > width)
            {
                yield return line;
                line = word;
            }
            else
            {
                line = line.Length == 0 ? word : $"{line} {word}";
            }
        }

        yield return line;
    }

    /// <summary>Sections with headings of the second level; an empty text without advice.</summary>
    public static string ToMarkdown(IReadOnlyList<Advice> advice, IReadOnlyList<PublishedBeside> beside)
    {
        var text = new StringBuilder();
        foreach ((string title, IReadOnlyList<Advice> items) in Sections(advice))
        {
            text.Append(CultureInfo.InvariantCulture, $"## {title}\n\n");
            foreach (Advice item in items)
            {
                Append(text, item);
            }
        }

        if (beside.Count > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"## {BesideTitle}\n\n");
            text.AppendJoin("", Sentences(beside).Select(line => $"- {Escape(line)}\n")).Append('\n');
        }

        return text.ToString();
    }

    private static void Append(StringBuilder text, Advice item)
    {
        text.Append(CultureInfo.InvariantCulture, $"### {Escape(item.Title)}\n\n");
        if (item.Claim is { } claim)
        {
            text.Append(CultureInfo.InvariantCulture, $"{Escape(claim.Reason)} From: [{Escape(claim.Whose)}]({claim.Source}).\n\n");
        }

        text.AppendJoin("", item.EvidenceTexts.Select(evidence => $"- {Escape(evidence)}\n"));
        text.Append(item.Evidence.Count > 0 ? "\n" : "").Append(Escape(item.Action)).Append("\n\n");
        text.Append(item.Code is { } code ? $"```csharp\n{code}\n```\n\n" : "");
        text.Append(CultureInfo.InvariantCulture, $"To check: `{item.Check}`\n\n");
    }

    // What would be a table's bar, emphasis or a tag in Markdown.
    private static string Escape(string text) => text
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("*", "\\*", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal)
        .Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace('\n', ' ');
}

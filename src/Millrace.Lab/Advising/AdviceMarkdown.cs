using System.Globalization;
using System.Text;
using Millrace.Lab.Published;

namespace Millrace.Lab.Advising;

/// <summary>Advice as Markdown, for report.md.</summary>
internal static class AdviceMarkdown
{
    /// <summary>Writes sections of headings of the second level; an empty text where there is no advice.</summary>
    public static string Write(IReadOnlyList<Advice> advice, IReadOnlyList<PublishedBeside> beside)
    {
        ArgumentNullException.ThrowIfNull(advice);
        ArgumentNullException.ThrowIfNull(beside);
        var text = new StringBuilder();
        foreach ((string title, IReadOnlyList<Advice> items) in AdviceSections.Of(advice))
        {
            text.Append(CultureInfo.InvariantCulture, $"## {title}\n\n");
            foreach (Advice item in items)
            {
                Append(text, item);
            }
        }

        string[] lines = [.. AdviceSections.Beside(beside).Select(line => $"- {Escape(line)}\n")];
        if (lines.Length > 0)
        {
            text.Append("## Published ratios beside this machine's\n\n").AppendJoin("", lines).Append('\n');
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

        foreach (string evidence in item.EvidenceTexts)
        {
            text.Append(CultureInfo.InvariantCulture, $"- {Escape(evidence)}\n");
        }

        if (item.Evidence.Count > 0)
        {
            text.Append('\n');
        }

        text.Append(Escape(item.Action)).Append("\n\n");
        if (item.Code is { } code)
        {
            text.Append(CultureInfo.InvariantCulture, $"```csharp\n{code}\n```\n\n");
        }

        text.Append(CultureInfo.InvariantCulture, $"Test it again: `{item.Check}`\n\n");
    }

    // What would be a table's bar, emphasis or a tag in Markdown.
    private static string Escape(string text) => text
        .Replace("|", "\\|", StringComparison.Ordinal)
        .Replace("*", "\\*", StringComparison.Ordinal)
        .Replace("_", "\\_", StringComparison.Ordinal)
        .Replace("<", "&lt;", StringComparison.Ordinal)
        .Replace('\n', ' ');
}

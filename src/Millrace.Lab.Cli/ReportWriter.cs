using Millrace.Lab.Advising;
using Millrace.Lab.Published;
using Millrace.Lab.Reporting;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>The reports of an output folder.</summary>
internal static class ReportWriter
{
    public static IReadOnlyList<string> Write(string folder, IReadOnlyList<LabResults> runs)
    {
        string page = Path.Combine(folder, HtmlReport.Name);
        string text = Path.Combine(folder, MarkdownReport.Name);
        try
        {
            File.WriteAllText(page, HtmlReport.Write(runs, ReportSources.Advice, ReportSources.Published(runs)));
            File.WriteAllText(text, string.Join("\n", runs.Select(Text)));
            return [page, text];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The report cannot be written: {exception.Message}", exception);
        }
    }

    private static string Text(LabResults run) => MarkdownReport.Write(run) + "\n"
        + AdviceMarkdown.Write(Advisor.Advise(run), PublishedBeside.Of(run));
}

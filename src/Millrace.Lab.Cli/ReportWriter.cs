namespace Millrace.Lab.Cli;

internal static class ReportWriter
{
    public static IReadOnlyList<string> Write(string folder, IReadOnlyList<LabResults> runs)
    {
        string page = Path.Combine(folder, HtmlReport.Name);
        string text = Path.Combine(folder, MarkdownReport.Name);
        try
        {
            File.WriteAllText(page, HtmlReport.Write(runs));
            File.WriteAllText(text, MarkdownReport.Write(runs));
            return [page, text];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The report cannot be written: {exception.Message}", exception);
        }
    }
}

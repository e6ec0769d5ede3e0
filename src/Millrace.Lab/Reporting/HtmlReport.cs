using System.Reflection;
using Millrace.Lab.Reporting.Html;

namespace Millrace.Lab.Reporting;

/// <summary>
/// Writes report.html: one file that needs no network and nothing else than results. The same results give the same bytes.
/// The page itself is built from web/ and is a part of this assembly.
/// </summary>
internal static class HtmlReport
{
    /// <summary>The file's name within an output folder.</summary>
    public const string Name = "report.html";

    private const string Resource = "Millrace.Lab.Reporting.Web.report.html";

    // web/index.html has it once.
    private const string Placeholder = "@REPORT_DATA@";

    /// <summary>Writes it, a section per run.</summary>
    /// <param name="runs">The runs, in the order of their sections.</param>
    /// <param name="advise">What a run says should be done; null for a report without advice.</param>
    /// <param name="published">Figures that others published, shown beside those of runs that have such methods.</param>
    public static string Write(
        IReadOnlyList<LabResults> runs,
        Func<LabResults, IReadOnlyList<ReportAdvice>>? advise = null,
        IReadOnlyList<ReportPublished>? published = null)
    {
        ArgumentNullException.ThrowIfNull(runs);
        string page = ReadPage();
        int place = page.IndexOf(Placeholder, StringComparison.Ordinal);
        return string.Concat(
            page.AsSpan(0, place),
            ReportPayload.Write(runs, advise, published ?? []),
            page.AsSpan(place + Placeholder.Length));
    }

    private static string ReadPage()
    {
        using Stream stream = Assembly.GetExecutingAssembly().GetManifestResourceStream(Resource)!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }
}

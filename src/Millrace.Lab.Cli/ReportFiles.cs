using Millrace.Lab.Reporting;
using Millrace.Lab.Results;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>Writes what a run leaves behind, and prints it.</summary>
internal static class ReportFiles
{
    public static void Write(IAnsiConsole console, string folder, LabResults results)
    {
        string json = Path.Combine(folder, ResultsFile.Name);
        ResultsFile.Write(json, results);
        IReadOnlyList<string> reports = ReportWriter.Write(folder, [results]);
        try
        {
            ConsoleReport.Write(console, results);
            console.WriteLine();
            console.WriteLine($"Results: {json}");
            foreach (string report in reports)
            {
                console.WriteLine($"Report:  {report}");
            }
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`. The files are written.
        }
    }
}

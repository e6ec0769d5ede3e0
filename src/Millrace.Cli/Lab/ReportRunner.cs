using Millrace.Lab;
using Millrace.Lab.Reporting;
using Millrace.Lab.Results;

namespace Millrace.Cli.Lab;

/// <summary>Writes one report about several runs.</summary>
internal static class ReportRunner
{
    /// <summary>Reads, writes and says where.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static int Run(IReadOnlyList<string> sources, string? output)
    {
        try
        {
            LabResults[] runs = [.. sources.Select(Read).OfType<LabResults>()];
            if (runs.Length == 0)
            {
                Console.Error.WriteLine("millrace lab report: there are no results to report; nothing was written.");
                return ExitCode.CannotStart;
            }

            string folder = OutputFolder.Prepare(output ?? FolderOf(sources[0]));
            foreach (string path in ReportWriter.Write(folder, runs))
            {
                Console.WriteLine($"Report:  {path}");
            }

            return ExitCode.Success;
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return ExitCode.CannotStart;
        }
    }

    // One damaged file among several takes nothing from the others.
    private static LabResults? Read(string source)
    {
        try
        {
            return ResultsFile.Read(Directory.Exists(source) ? Path.Combine(source, ResultsFile.Name) : source);
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return null;
        }
    }

    private static string FolderOf(string source) =>
        Directory.Exists(source) ? source : Path.GetDirectoryName(Path.GetFullPath(source))!;
}

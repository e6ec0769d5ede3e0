using Millrace.Lab.Reporting;
using Millrace.Lab.Results;

namespace Millrace.Lab.Cli;

/// <summary>Writes one report about several runs.</summary>
internal static class ReportRunner
{
    public static int Run(IReadOnlyList<string> sources, string? output, string? table)
    {
        try
        {
            LabResults[] runs = [.. sources.SelectMany(Read)];
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

            if (table is not null)
            {
                WriteTable(table, runs[0]);
            }

            return ExitCode.Success;
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return ExitCode.CannotStart;
        }
    }

    private static void WriteTable(string path, LabResults run)
    {
        try
        {
            File.WriteAllText(path, SummaryTable.PutInto(File.ReadAllText(path).ReplaceLineEndings("\n"), run));
            Console.WriteLine($"Table:   {path}");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The table cannot be put into {path}: {exception.Message}", exception);
        }
    }

    // One damaged file among several takes nothing from the others.
    private static IEnumerable<LabResults> Read(string source)
    {
        try
        {
            ResultsFolder read = ResultsFolder.ReadRun(source);
            foreach (string problem in read.Problems)
            {
                Console.Error.WriteLine($"millrace lab report: {problem}");
            }

            return read.Runs.Select(run => run.Results);
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab report: {exception.Message}");
            return [];
        }
    }

    private static string FolderOf(string source) =>
        Directory.Exists(source) ? source : Path.GetDirectoryName(Path.GetFullPath(source))!;
}

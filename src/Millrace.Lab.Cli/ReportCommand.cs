namespace Millrace.Lab.Cli;

internal static class ReportCommand
{
    private const string Name = "report";
    private const string Description = "Rebuild report.html and report.md from stored results.";

    private const string Details = """
        Reads results.json of every folder given, or the files themselves, and writes one report.html and one report.md
        with a section per run. Runs of one suite on several machines are also shown side by side. A file that cannot be
        read is named, and the others are used. Nothing is measured.

        Examples:
          millrace lab report results/latest
          millrace lab report results/before results/after --out results/both
          millrace lab report results/amd results/intel --out results/both
          millrace lab report results/*/files --out artifacts/report --table README.md

        Exit codes:
          0    the report was written
          1    nothing was written: no results could be read, or the folder cannot be written
        """;

    public static Command Create()
    {
        var sources = new Argument<string[]>("DIR")
        {
            Description = "Folders with a results.json, or with one for every suite, or such files.",
            Arity = ArgumentArity.OneOrMore,
        };
        var output = new Option<string?>("--out")
        {
            Description = "Write report.html and report.md to this folder (default: the first DIR).",
            HelpName = "DIR",
        };
        var table = new Option<string?>("--table")
        {
            Description = "Update the table in this Markdown file, between the lines "
                + $"\"{SummaryTable.Begin}\" and \"{SummaryTable.End}\": one for every run of the suite files.",
            HelpName = "FILE",
        };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command(Name, Description) { help, sources, output, table };
        command.SetAction(parsed => Terminal.Run(
            Name, () => Run(parsed.GetValue(sources)!, parsed.GetValue(output), parsed.GetValue(table))));
        return command;
    }

    private static int Run(string[] sources, string? output, string? table)
    {
        ResultsFolder[] read = [.. sources.Select(ResultsFolder.ReadRun)];
        Terminal.PrintProblems(Name, read.SelectMany(folder => folder.Problems));
        LabResults[] runs = [.. read.SelectMany(folder => folder.Runs).Select(run => run.Results)];
        if (runs.Length == 0)
        {
            throw new LabException("no results to report; nothing was written.");
        }

        string folder = OutputFolder.Prepare(output ?? FolderOf(sources[0]));
        foreach (string path in ReportWriter.Write(folder, runs))
        {
            Console.WriteLine($"Report:  {path}");
        }

        foreach (MachinesSideBySide suite in MachinesSideBySide.Of(runs))
        {
            MachinePrinter.Print(suite);
        }

        if (table is not null)
        {
            WriteTable(table, runs);
        }

        return ExitCode.Success;
    }

    private static void WriteTable(string path, LabResults[] runs)
    {
        try
        {
            File.WriteAllText(path, SummaryTable.PutInto(File.ReadAllText(path).ReplaceLineEndings("\n"), runs));
            Console.WriteLine($"Table:   {path}");
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The table cannot be put into {path}: {exception.Message}", exception);
        }
    }

    private static string FolderOf(string source) =>
        Directory.Exists(source) ? source : Path.GetDirectoryName(Path.GetFullPath(source))!;
}

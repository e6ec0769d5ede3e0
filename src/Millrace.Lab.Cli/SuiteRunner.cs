namespace Millrace.Lab.Cli;

/// <summary>Runs suites for a person at a terminal, or for a script.</summary>
internal static class SuiteRunner
{
    public static int Run(
        IReadOnlyList<Suite> suites, LabOptions options, bool separateFolders, bool failUnder)
    {
        IAnsiConsole console = Terminal.Create();
        using var stop = new StopSignal();
        int exitCode = ExitCode.Success;
        bool measured = false;
        var reasons = new List<string>();
        foreach (Suite suite in suites)
        {
            LabOptions mine = separateFolders
                ? options with { OutputFolder = Path.Combine(options.OutputFolder, suite.Name) }
                : options;
            try
            {
                // A failed case, which has the higher code, says more about a run than a missed aim does.
                exitCode = Math.Max(exitCode, Run(suite, mine, console, failUnder, stop.Token));
                measured = true;
            }
            catch (NoCaseException exception)
            {
                // Filters that name methods of one suite say which suites are meant.
                reasons.Add($"{suite.Name}: {exception.Message}");
            }
            catch (LabException exception)
            {
                Terminal.PrintProblems(suite.Name, [exception.Message]);
                return ExitCode.CannotStart;
            }

            if (stop.Token.IsCancellationRequested)
            {
                console.MarkupLine("[yellow]Stopped. What was measured until then is kept.[/]");
                return ExitCode.Stopped;
            }
        }

        foreach (string reason in reasons)
        {
            if (measured)
            {
                console.MarkupLineInterpolated($"[grey]{reason}[/]");
            }
            else
            {
                Console.Error.WriteLine($"millrace lab {reason}");
            }
        }

        return measured ? exitCode : ExitCode.CannotStart;
    }

    private static int Run(
        Suite suite, LabOptions options, IAnsiConsole console, bool failUnder, CancellationToken stop)
    {
        // Before minutes of measuring, not after them.
        string folder = OutputFolder.Prepare(options.OutputFolder);
        LabResults results = ProgressDisplay.Run(
            console, progress => SuiteRun.Run(suite, options, new WorkerHost(WorkerCommand.Self()), progress, stop));
        ReportFiles.Write(console, folder, results);
        int exitCode = ExitCode.Of(results, failUnder);
        if (exitCode == ExitCode.CaseFailed)
        {
            int failed = results.Cases.Count(item => item.Error is not null);
            console.MarkupLineInterpolated($"[red]{failed} cases failed; their reasons are in the tables.[/]");
        }
        else if (exitCode == ExitCode.Missed)
        {
            int missed = results.Bars.Count(bar => bar.Met == false);
            console.MarkupLineInterpolated($"[red]{missed} aims were missed (--fail-under).[/]");
        }

        return exitCode;
    }
}

internal static class OutputFolder
{
    public static string Prepare(string folder)
    {
        try
        {
            string full = Path.GetFullPath(folder);
            Directory.CreateDirectory(full);
            string probe = Path.Combine(full, $".millrace-{Environment.ProcessId}");
            File.WriteAllText(probe, "");
            File.Delete(probe);
            return full;
        }
        catch (Exception exception) when (
            exception is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new LabException(
                $"The output folder {folder} cannot be written: {exception.Message} Name another one with --out.",
                exception);
        }
    }
}

/// <summary>Writes what a run leaves behind, and prints it.</summary>
internal static class ReportFiles
{
    public static void Write(IAnsiConsole console, string folder, LabResults results)
    {
        string json = Path.Combine(folder, ResultsFile.Name);
        ResultsFile.Write(json, results);
        IReadOnlyList<string> reports = ReportWriter.Write(folder, [results]);
        Terminal.Print(() =>
        {
            ConsoleReport.Write(console, results);
            console.WriteLine();
            console.WriteLine($"Results: {json}");
            foreach (string report in reports)
            {
                console.WriteLine($"Report:  {report}");
            }
        });
    }
}

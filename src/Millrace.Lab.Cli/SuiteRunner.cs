using System.Globalization;
using Millrace.Lab.Machine;

namespace Millrace.Lab.Cli;

/// <summary>Runs suites for a person at a terminal, or for a script.</summary>
internal static class SuiteRunner
{
    public static int Run(
        IReadOnlyList<Suite> suites, LabOptions options, bool separateFolders, bool failUnder, bool waits)
    {
        IAnsiConsole console = Terminal.Create();
        using var stop = new StopSignal();
        int exitCode = ExitCode.Success;
        bool measured = false;
        bool kept = false;
        var reasons = new List<string>();
        if (waits)
        {
            WaitForIdleMachine(stop.Token);
        }

        foreach (Suite suite in suites)
        {
            LabOptions mine = separateFolders
                ? options with { OutputFolder = Path.Combine(options.OutputFolder, suite.Name) }
                : options;
            try
            {
                // A failed case, which has the higher code, matters more than a missed target.
                if (Run(suite, mine, console, failUnder, stop.Token) is { } code)
                {
                    exitCode = Math.Max(exitCode, code);
                    kept = true;
                }

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
                console.MarkupLine(kept
                    ? "[yellow]Stopped. The measurements up to then are kept.[/]"
                    : "[yellow]Stopped before anything was measured. Nothing was written.[/]");
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

    /// <summary>The first run after a build would otherwise always warn that the machine was busy.</summary>
    private static void WaitForIdleMachine(CancellationToken stop)
    {
        bool isIdle = IdleMachine.Wait(
            static programs => Console.Error.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"Other programs use the processors{(programs.Count == 0 ? "" : ": ")}{string.Join(", ", programs.Select(static one => $"{one.Name} {one.Processors:P0}"))}. Waiting up to {IdleMachine.Longest.TotalSeconds:0} s; --no-wait measures at once.")),
            stop);
        if (!isIdle)
        {
            Console.Error.WriteLine("The machine is still busy. Measuring anyway: trust the ratios before the milliseconds.");
        }
    }

    /// <returns>Null if it was stopped before anything was measured: then an earlier run's files stay.</returns>
    private static int? Run(
        Suite suite, LabOptions options, IAnsiConsole console, bool failUnder, CancellationToken stop)
    {
        // Before minutes of measuring, not after them.
        string folder = OutputFolder.Prepare(options.OutputFolder);
        LabResults results = ProgressDisplay.Run(
            console, progress => SuiteRun.Run(suite, options, new WorkerHost(WorkerCommand.Self()), progress, stop));
        if (results.Cases.Count == 0 && stop.IsCancellationRequested)
        {
            return null;
        }

        ReportFiles.Write(console, folder, results);
        int exitCode = ExitCode.Of(results, failUnder);
        if (exitCode == ExitCode.CaseFailed)
        {
            int failed = results.Cases.Count(item => item.Error is not null);
            console.MarkupLineInterpolated($"[red]{failed} cases failed; their reasons are in the tables.[/]");
        }
        else if (exitCode == ExitCode.Missed)
        {
            int missed = results.Targets.Count(target => target.Met == false);
            console.MarkupLineInterpolated($"[red]{missed} targets were missed (--fail-under).[/]");
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

    /// <summary>Moves an earlier run's files to a separate folder, named by when it ended.</summary>
    /// <returns>That folder; null if there was nothing.</returns>
    public static string? SetAside(string folder)
    {
        if (ResultsFile.In(folder) is not { } results)
        {
            return null;
        }

        try
        {
            string name = File.GetLastWriteTimeUtc(results).ToString("yyyy-MM-dd'T'HHmmss'Z'", CultureInfo.InvariantCulture);
            string aside = Path.Combine(folder, name);
            for (int i = 2; Directory.Exists(aside); i++)
            {
                aside = Path.Combine(folder, $"{name}-{i}");
            }

            Directory.CreateDirectory(aside);
            foreach (string file in new[] { ResultsFile.Name, ResultsFile.PackedName, HtmlReport.Name, MarkdownReport.Name })
            {
                string from = Path.Combine(folder, file);
                if (File.Exists(from))
                {
                    File.Move(from, Path.Combine(aside, file));
                }
            }

            return aside;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The earlier results in {folder} cannot be moved: {exception.Message}", exception);
        }
    }
}

/// <summary>Writes a run's results, and prints them.</summary>
internal static class ReportFiles
{
    public static void Write(IAnsiConsole console, string folder, LabResults results)
    {
        string json = Path.Combine(folder, ResultsFile.Name);
        if (OutputFolder.SetAside(folder) is { } earlier)
        {
            console.WriteLine($"The earlier results in this folder are kept in {earlier}");
        }

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

using System.Runtime.InteropServices;
using Millrace.Lab;
using Millrace.Lab.Reporting;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;
using Spectre.Console;

namespace Millrace.Cli.Lab;

/// <summary>Runs the suite for a person at a terminal, or for a script.</summary>
internal static class FilesRunner
{
    /// <summary>Measures, writes and prints.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static int Run(LabOptions options)
    {
        IAnsiConsole console = Terminal.Create();
        using var stop = new CancellationTokenSource();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, StopOnce);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, StopOnce);
        try
        {
            // Before minutes of measuring, not after them.
            string folder = OutputFolder.Prepare(options.OutputFolder);
            LabResults results = ProgressDisplay.Run(
                console, progress => FilesSuite.Run(options, progress, stop.Token));
            Report(console, folder, results);
            if (stop.IsCancellationRequested)
            {
                console.MarkupLine("[yellow]Stopped. What was measured until then is kept.[/]");
                return ExitCode.Stopped;
            }

            int failed = results.Cases.Count(item => item.Error is not null);
            if (failed > 0)
            {
                console.MarkupLineInterpolated($"[red]{failed} cases failed; their reasons are in the tables.[/]");
                return ExitCode.CaseFailed;
            }

            return ExitCode.Success;
        }
        catch (LabException exception)
        {
            Console.Error.WriteLine($"millrace lab files: {exception.Message}");
            return ExitCode.CannotStart;
        }

        // A second Ctrl-C ends the process at once, as ever.
        void StopOnce(PosixSignalContext context)
        {
            context.Cancel = !stop.IsCancellationRequested;
            stop.Cancel();
        }
    }

    private static void Report(IAnsiConsole console, string folder, LabResults results)
    {
        string json = Path.Combine(folder, ResultsFile.Name);
        ResultsFile.Write(json, results);
        IReadOnlyList<string> reports = ReportWriter.Write(folder, [results]);
        try
        {
            ConsoleReport.Write(console, results);
            console.WriteLine();
            console.WriteLine($"Results: {json}");
            console.WriteLine($"Report:  {string.Join(", ", reports)}");
        }
        catch (IOException)
        {
            // Whoever read the output has gone, for example `| head`. The files are written.
        }
    }
}

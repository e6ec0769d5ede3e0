using Spectre.Console;

namespace Millrace.Cli.Copy;

/// <summary>A progress bar with bytes, rate and time left where somebody sees it, on the error output; else nothing.</summary>
internal static class CopyDisplay
{
    /// <summary>Does the work with a display around it.</summary>
    public static T Run<T>(bool quiet, long bytes, Func<CopyMeter, T> work)
    {
        if (quiet || Console.IsErrorRedirected)
        {
            return work(new CopyMeter(bar: null));
        }

        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        return console.Progress()
            .AutoClear(true)
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn(),
                new PercentageColumn(),
                new DownloadedColumn(),
                new TransferSpeedColumn(),
                new RemainingTimeColumn())
            .Start(context => work(new CopyMeter(context.AddTask("copying", maxValue: Math.Max(1, bytes)))));
    }
}

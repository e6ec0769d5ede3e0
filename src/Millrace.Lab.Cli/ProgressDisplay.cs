using Millrace.Lab.Running;
using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>Shows what runs and how long is left: a live bar in a terminal, a line now and then otherwise.</summary>
internal static class ProgressDisplay
{
    public static T Run<T>(IAnsiConsole console, Func<ILabProgress, T> work)
    {
        if (Console.IsOutputRedirected || !console.Profile.Capabilities.Interactive)
        {
            return work(new PlainProgress(Console.Error));
        }

        // No automatic refresh: it would draw from a thread of its own in the middle of measurements.
        return console.Progress()
            .AutoRefresh(false)
            .AutoClear(true)
            .Columns(
                new TaskDescriptionColumn { Alignment = Justify.Left },
                new ProgressBarColumn(),
                new PercentageColumn())
            .Start(context => work(new LiveProgress(context, console)));
    }
}

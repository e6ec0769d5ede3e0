using Spectre.Console;

namespace Millrace.Cli.Transfer;

/// <summary>Chooses the display: bars on a terminal, lines elsewhere, nothing where nobody wants it.</summary>
internal static class TransferDisplay
{
    /// <summary>Does the work with a display around it.</summary>
    public static Task<T> RunAsync<T>(
        TransferSettings settings, IReadOnlyCollection<TransferItem> items, Func<ITransferDisplay, Task<T>> work)
    {
        if (settings.Quiet || settings.Json)
        {
            return work(new SilentDisplay());
        }

        if (Console.IsErrorRedirected)
        {
            return work(new PlainDisplay(Console.Error));
        }

        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(Console.Error) });
        return console.Profile.Capabilities.Interactive
            ? BarDisplay.RunAsync(console, items, work)
            : work(new PlainDisplay(Console.Error));
    }
}

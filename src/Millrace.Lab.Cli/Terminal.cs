using Spectre.Console;

namespace Millrace.Lab.Cli;

/// <summary>The console that the laboratory prints to.</summary>
internal static class Terminal
{
    // A pipe has no width; tables cut to the customary 80 columns would be unreadable.
    private const int WidthWhenPiped = 200;

    public static IAnsiConsole Create()
    {
        if (!Console.IsOutputRedirected)
        {
            return AnsiConsole.Create(new AnsiConsoleSettings());
        }

        IAnsiConsole console = AnsiConsole.Create(
            new AnsiConsoleSettings { Ansi = AnsiSupport.No, ColorSystem = ColorSystemSupport.NoColors });
        console.Profile.Width = WidthWhenPiped;
        return console;
    }
}

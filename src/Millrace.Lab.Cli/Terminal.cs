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

    /// <summary>Runs a command; prints an expected failure as an error in one line.</summary>
    public static int Run(string command, Func<int> action)
    {
        try
        {
            return action();
        }
        catch (LabException exception)
        {
            PrintProblems(command, [exception.Message]);
            return ExitCode.CannotStart;
        }
    }

    /// <summary>Prints until the reader of the output closes it, as `| head` does: the exit code still shows the result.</summary>
    public static void Print(Action print)
    {
        try
        {
            print();
        }
        catch (IOException)
        {
            // The reader is gone.
        }
    }

    public static void PrintProblems(string command, IEnumerable<string> problems)
    {
        foreach (string problem in problems)
        {
            Console.Error.WriteLine($"millrace lab {command}: {problem}");
        }
    }
}

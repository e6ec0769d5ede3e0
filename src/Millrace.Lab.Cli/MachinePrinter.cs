namespace Millrace.Lab.Cli;

/// <summary>Prints a suite on several machines: where the fastest method changes, then the tables.</summary>
internal static class MachinePrinter
{
    public static void Print(MachinesSideBySide suite) => Terminal.Print(() =>
    {
        IAnsiConsole console = Terminal.Create();
        PrintChanges(console, suite);
        foreach (SharedWork work in suite.Works)
        {
            console.WriteLine();
            console.MarkupLineInterpolated($"[bold]{work.Title}[/]");
            suite.Table(work).Write(console);
        }
    });

    public static void PrintChanges(IAnsiConsole console, MachinesSideBySide suite)
    {
        console.WriteLine();
        console.MarkupLineInterpolated($"[bold]{suite.Suite}: {string.Join(" | ", suite.Machines)}[/]");
        console.WriteLine(suite.Changes.Any()
            ? "The fastest method depends on the machine:"
            : "The fastest method does not depend on the machine.");
        foreach (string change in suite.Changes)
        {
            console.MarkupLineInterpolated($"  - {change}");
        }
    }
}

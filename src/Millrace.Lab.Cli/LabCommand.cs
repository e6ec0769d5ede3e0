namespace Millrace.Lab.Cli;

/// <summary>`millrace lab`: its suites.</summary>
internal static class LabCommand
{
    public static Command Create()
    {
        var command = new Command("lab", "Measure methods to read, write and transfer bytes on this machine.");
        foreach (Suite suite in SuiteCatalog.All)
        {
            command.Subcommands.Add(SuiteCommand.Create(suite));
        }

        command.Subcommands.Add(SuiteCommand.CreateAll());
        command.Subcommands.Add(SuiteCommand.CreateNull());
        command.Subcommands.Add(AdviseCommand.Create());
        command.Subcommands.Add(ReportCommand.Create());
        command.Subcommands.Add(CompareCommand.Create());
        command.Subcommands.Add(HistoryCommand.Create());
        return command;
    }
}

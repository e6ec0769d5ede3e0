using System.CommandLine;

namespace Millrace.Cli.Lab;

/// <summary>`millrace lab`: its suites.</summary>
internal static class LabCommand
{
    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var command = new Command("lab", "Measure ways to read, write and move bytes on this machine.");
        command.Subcommands.Add(FilesCommand.Create());
        command.Subcommands.Add(CompareCommand.Create());
        command.Subcommands.Add(HistoryCommand.Create());
        return command;
    }
}

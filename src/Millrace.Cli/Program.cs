using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli;
using Millrace.Transfer;

// The laboratory measures with the runtime's own settings.
if (args is [LabTool.Name, ..])
{
    return LabTool.Run(args[1..]);
}

// Before anything that may rent an array.
SharedPool.MakeRoom();
ConsoleText.UseUtf8();

// Not a RootCommand: that would be named after the assembly, which the user did not type.
var root = new Command("millrace", "Scan, copy, serve and transfer files, and measure it on your own machine.")
{
    new HelpOption(),
    new VersionOption { Action = new VersionText() },
};
root.Subcommands.Add(ScanCommand.Create());
root.Subcommands.Add(CopyCommand.Create());
root.Subcommands.Add(ServeCommand.Create());
root.Subcommands.Add(HealthCommand.Create());
root.Subcommands.Add(ScrubCommand.Create());
root.Subcommands.Add(PutCommand.Create());
root.Subcommands.Add(GetCommand.Create());
root.Subcommands.Add(VerifyCommand.Create());
root.Subcommands.Add(SyncCommand.Create());
root.Subcommands.Add(ListCommand.Create());
root.Subcommands.Add(MoveCommand.Create());
root.Subcommands.Add(MakeFolderCommand.Create());
root.Subcommands.Add(FindCommand.Create());
root.Subcommands.Add(RemoveCommand.Create());
root.Subcommands.Add(TrashCommand.Create());
root.Subcommands.Add(TokenCommand.Create());
root.Subcommands.Add(LinkCommand.Create());
root.Subcommands.Add(LabTool.Describe());
root.Subcommands.Add(CompletionCommand.Create());

if (Suggestions.IsAskedFor(args))
{
    return LabTool.IsMeant(args[1]) ? LabTool.Suggest(args) : Suggestions.Print(root, args, Console.Out);
}

ParseResult parsed = root.Parse(args);
if (args is [ServeCommand.Name, ..] && parsed.Action is not HelpWithDetails)
{
    try
    {
        parsed = ServeEnvironment.Apply(root, args, parsed, Console.Error);
    }
    catch (TransferException exception)
    {
        Console.Error.WriteLine($"millrace serve: {exception.Message}");
        return ExitCode.CannotStart;
    }
}

if (args.Length > 0 && UsageError.IsIn(parsed))
{
    UsageError.Print(parsed, Console.Error);
    return ExitCode.CannotStart;
}

// Ctrl-C is handled by the command itself, which needs as long as an invocation takes.
var configuration = new InvocationConfiguration { ProcessTerminationTimeout = null, EnableDefaultExceptionHandler = false };
int exitCode = parsed.Invoke(configuration);
return parsed.Errors.Count > 0 ? ExitCode.CannotStart : exitCode;

using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli.Completion;
using Millrace.Cli.Transfer;

namespace Millrace.Cli.Remove;

/// <summary>`millrace rm`.</summary>
internal static class RemoveCommand
{
    private const string Details = """
        Examples:
          millrace rm http://host:8080/files/2026/may.csv
          millrace rm --recursive http://host:8080/files/photos/

        Exit codes:
          0    everything was deleted
          1    could not start, the answer was no, or at least one file was not deleted; the error output says which and why
          130  stopped by Ctrl-C
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        var urls = new Argument<string[]>("URL...")
        {
            Description = "Files, or folders with a slash at their end.",
            Arity = new ArgumentArity(1, TransferCommand.MaxPaths),
            CompletionSources = { new RemoteNames(set).Complete },
        };
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "Delete folders with everything in them, after asking.",
        };
        var yes = new Option<bool>("--yes", "-y") { Description = "Do not ask." };
        Option<string?> ifMatch = ConditionOptions.IfMatch();
        ifMatch.Validators.Add(result =>
        {
            if (result.GetResult(recursive) is not null)
            {
                result.AddError("--if-match is about one file, and --recursive about many.");
            }
        });
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("rm", "Delete files of a server.") { help, urls, recursive, yes, ifMatch };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(urls)!;
            return TransferCommand.Run("rm", set, parsed, given[0], (settings, stop) => RemoveRunner.RunAsync(
                new RemoveArguments
                {
                    Targets = [.. given.Select(TransferTarget.Parse)],
                    Precondition = ConditionOptions.Read(mustNotExist: false, parsed.GetValue(ifMatch)),
                    Recursive = parsed.GetValue(recursive),
                    Yes = parsed.GetValue(yes),
                    Settings = settings,
                },
                stop));
        });
        return command;
    }
}

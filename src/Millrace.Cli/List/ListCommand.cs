using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli.Completion;
using Millrace.Cli.Transfer;

namespace Millrace.Cli.List;

/// <summary>`millrace ls`.</summary>
internal static class ListCommand
{
    private const string Details = """
        Folders end with a slash, as their URLs do. Times are those of this machine.

        Examples:
          millrace ls http://host:8080/files/
          millrace ls -r --long http://host:8080/files/2026/
          millrace ls -r --json http://host:8080/files/ | jq -r 'select(.length > 1e9) | .url'

        Exit codes:
          0    listed
          1    wrong arguments, no such file or folder, or the server refused; the error output says why
          130  stopped by Ctrl-C
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        var url = new Argument<string>("URL")
        {
            Description = "A folder, or a file.",
            CompletionSources = { new RemoteNames(set).Complete },
        };
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "The files of folders in it too; then folders themselves are not listed.",
        };
        var longer = new Option<bool>("--long", "-l") { Description = "With size, time and tag." };
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("ls", "List what a server has.") { help, url, recursive, longer };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("ls", set, parsed, given, (settings, stop) => ListRunner.RunAsync(
                TransferTarget.Parse(given), parsed.GetValue(recursive), parsed.GetValue(longer), settings, stop));
        });
        return command;
    }
}

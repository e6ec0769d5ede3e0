using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli.Completion;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Get;

/// <summary>`millrace get`.</summary>
internal static class GetCommand
{
    private const string Details = """
        A file has its name here when it is whole and verified, and not before; what had the name is whole until then. A
        URL with a slash at its end is a folder: all its files are downloaded, into a folder of its name or into FILE.
        What was interrupted goes on by itself; what was killed is continued by the same command. A signed link of
        'millrace link' needs no token; put it in quotes.

        Examples:
          millrace get http://host:8080/files/2026/may.csv
          millrace get http://host:8080/files/photos/ ~/photos
          millrace get http://host:8080/files/backup/shop.sql - | psql shop
          millrace get "$LINK"

        Exit codes:
          0    everything is here
          1    could not start, or at least one file failed; the others are here, and the error output says which and why
          130  stopped by Ctrl-C; the same command continues
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var set = new TransferOptionSet(moves: true);
        var url = new Argument<string>("URL")
        {
            Description = "The file, the folder with a slash at its end, or a signed link in quotes.",
            CompletionSources = { new RemoteNames(set).Complete },
        };
        var file = new Argument<string?>("FILE")
        {
            Description = "Its name here, a folder to put it into, or - for standard output. Default: its own name.",
            Arity = ArgumentArity.ZeroOrOne,
        };
        Option<bool> isNew = ConditionOptions.New("Fail where the name is taken here.");
        var noContinue = new Option<bool>("--no-continue")
        {
            Description = "Begin anew, whatever a killed run has left.",
        };
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("get", "Download files from a server: whole, verified, or not at all.")
        {
            help, url, file, isNew, noContinue,
        };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("get", set, parsed, given, (settings, stop) => GetRunner.RunAsync(
                new GetArguments
                {
                    Target = TransferTarget.ParseWithLink(given),
                    Destination = parsed.GetValue(file),
                    Options = new GetOptions
                    {
                        CreateNew = parsed.GetValue(isNew),
                        Continue = !parsed.GetValue(noContinue),
                    },
                    Settings = settings,
                },
                stop));
        });
        return command;
    }
}

using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Cli.Completion;
using Millrace.Cli.Transfer;

namespace Millrace.Cli.Put;

/// <summary>`millrace put`.</summary>
internal static class PutCommand
{
    private const string Details = """
        URL is the file's or, with a slash at its end, that of a folder, into which files and folders go under their own
        names. A file has its name on the server when it is whole and verified there, and not before. What was interrupted
        goes on by itself; what was killed is continued by the same command.

        A signed link of 'millrace link --put', in quotes, takes one file and needs no token. It allows one plain PUT: an
        upload by it cannot be continued, and begins anew after an interruption.

        Examples:
          millrace put trips.csv http://host:8080/files/2026/may.csv
          millrace put photos notes.txt http://host:8080/files/
          pg_dump shop | millrace put --new - http://host:8080/files/backup/shop.sql
          millrace put may.csv "$LINK"

        Exit codes:
          0    everything is on the server
          1    could not start, or at least one file failed; the others are there, and the error output says which and why
          130  stopped by Ctrl-C; the same command continues
        """;

    /// <summary>Describes the command.</summary>
    public static Command Create()
    {
        var paths = new Argument<string[]>("FILE... URL")
        {
            Description = "Files and folders, or - for standard input, and where they go.",
            Arity = new ArgumentArity(2, TransferCommand.MaxPaths),
        };
        var set = new TransferOptionSet(moves: true);
        paths.CompletionSources.Add(new RemoteNames(set).Complete);
        Option<bool> isNew = ConditionOptions.New("Fail where the name is taken, whoever takes it meanwhile.");
        Option<string?> ifMatch = ConditionOptions.IfMatch();
        ifMatch.Validators.Add(result =>
        {
            if (result.GetResult(isNew) is { Implicit: false })
            {
                result.AddError("--new and --if-match exclude each other.");
            }
        });
        var noContinue = new Option<bool>("--no-continue")
        {
            Description = "Begin anew, whatever a killed run has sent already.",
        };
        var help = new HelpOption();
        help.Action = new HelpWithDetails(help.Action!, Details);
        var command = new Command("put", "Upload files to a server: whole, verified, or not at all.")
        {
            help, paths, isNew, ifMatch, noContinue,
        };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(paths)!;
            return TransferCommand.Run("put", set, parsed, given[^1], (settings, stop) => PutRunner.RunAsync(
                new PutArguments
                {
                    Sources = given[..^1],
                    Target = TransferTarget.ParseWithLink(given[^1]),
                    Precondition = ConditionOptions.Read(parsed.GetValue(isNew), parsed.GetValue(ifMatch)),
                    Continue = !parsed.GetValue(noContinue),
                    Settings = settings,
                },
                stop));
        });
        return command;
    }
}

using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace find`.</summary>
internal static class FindCommand
{
    private const int DefaultLimit = 1000;

    private const string Details = """
        A name is found if it contains every word, in any order; case and accents do not matter. The server searches, and each
        name is printed as soon as it is found, in no particular order. Folders end with a slash.

        Examples:
          millrace find http://host:8080/files/ invoice 2026
          millrace find --json http://host:8080/files/photos/ beach | jq -r .url

        Exit codes:
          0    searched, whatever was found
          1    wrong arguments, no such folder, or the server refused; the error output says why
          4    searched but what the server leaves out; the error output says how many entries
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string> url = RemoteNames.Argument<string>(set, "URL", "The folder to search below.");
        var words = new Argument<string[]>("WORD")
        {
            Description = "A part of the name.",
            Arity = ArgumentArity.OneOrMore,
        };
        var longer = new Option<bool>("--long", "-l") { Description = "Print size, time and tag too." };
        var limit = new Option<int>("--limit")
        {
            Description = "Stop after N entries, 10,000 at most.",
            HelpName = "N",
            DefaultValueFactory = static _ => DefaultLimit,
        };
        limit.Validators.Add(static result =>
        {
            if (result.Tokens is [var token] && !(int.TryParse(token.Value, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
                && number is >= 1 and <= TransferClient.MaxSearchEntries))
            {
                result.AddError($"'{token.Value}' is not a valid limit; use a number from 1 to {TransferClient.MaxSearchEntries}.");
            }
        });
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("find", "Find files and folders on a server by name.") { help, url, words, longer, limit };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string given = parsed.GetValue(url)!;
            return TransferCommand.Run("find", set, parsed, given, (settings, stop) => RunAsync(
                TransferTarget.Parse(given), string.Join(' ', parsed.GetValue(words)!), parsed.GetValue(longer), parsed.GetValue(limit), settings, stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(
        TransferTarget target, string text, bool longer, int limit, TransferSettings settings, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        (target, TransferClient client) = await session.OpenAsync(target, stop).ConfigureAwait(false);
        SearchProgress end = default;
        await foreach (RemoteEntry entry in client.SearchAsync(target.Name, text, limit, progress => end = progress, stop).ConfigureAwait(false))
        {
            string line = settings.Json ? ListLine.Of(entry, target).ToJson()
                : longer ? ListText.Long(entry, target.Name)
                : ListText.NameOf(entry, target.Name);
            try
            {
                Console.Out.WriteLine(line);
            }
            catch (IOException)
            {
                // The reader is gone, as in `millrace find … | head`.
                return ExitCode.Success;
            }
        }

        if (end.HasMore && !settings.Quiet)
        {
            TransferCommand.WriteLine(Console.Error, $"millrace find: there are more than these {limit}; use --limit or more words.");
        }

        return TransferCommand.PrintOmitted(
            "find", settings.Json, target.UrlOf(target.Name, folder: true), new OmittedEntries { Others = end.Omitted }, "not searched");
    }
}

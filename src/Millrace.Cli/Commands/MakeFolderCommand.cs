using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace mkdir`.</summary>
internal static class MakeFolderCommand
{
    private const string Details = """
        Uploads make the folders they need; this command is for empty ones.

        Examples:
          millrace mkdir http://host:8080/files/inbox
          millrace mkdir --parents http://host:8080/files/2026/05/photos

        Exit codes:
          0    the folders are there
          1    could not start, or at least one was not made (named on the error output)
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string[]> urls = RemoteNames.Argument<string[]>(
            set, "URL...", "The new folders.", new ArgumentArity(1, TransferCommand.MaxPaths));
        var parents = new Option<bool>("--parents", "-p") { Description = "Make the folders above them, too, and accept folders that are there already." };
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("mkdir", "Make folders on a server.") { help, urls, parents };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(urls)!;
            return TransferCommand.Run("mkdir", set, parsed, given[0], (settings, stop) => RunAsync(
                [.. given.Select(TransferTarget.Parse)], parsed.GetValue(parents), settings, stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(TransferTarget[] given, bool parents, TransferSettings settings, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        int exitCode = ExitCode.Success;
        foreach (TransferTarget one in given)
        {
            (TransferTarget target, TransferClient client) = await session.OpenAsync(one, stop).ConfigureAwait(false);
            string url = target.UrlOf(target.Name, folder: true);
            try
            {
                if (target.Name.IsRoot)
                {
                    throw TransferCommand.Invalid($"{target.Text} names no folder below the server's files.");
                }

                await MakeAsync(client, target.Name, parents, stop).ConfigureAwait(false);
                settings.Print(new FolderLine(url, target.Name.Value), $"Made {url}.");
            }
            catch (TransferException exception)
            {
                exitCode = ExitCode.TransferFailed;
                TransferCommand.PrintError("mkdir", settings.Json, url, exception);
            }
        }

        return exitCode;
    }

    private static async Task MakeAsync(TransferClient client, TransferName folder, bool parents, CancellationToken stop)
    {
        if (parents && !folder.Folder.IsRoot)
        {
            await MakeAsync(client, folder.Folder, parents, stop).ConfigureAwait(false);
        }

        try
        {
            await client.CreateFolderAsync(folder, stop).ConfigureAwait(false);
        }
        catch (TransferException exception) when (parents && exception.Error == TransferError.AlreadyExists)
        {
            // A file of that name is refused by the store with the same error, and then the next folder below it is.
            if (await client.FindAsync(folder, stop).ConfigureAwait(false) is not null)
            {
                throw;
            }
        }
    }
}

/// <summary>A folder that was made; a line of `millrace mkdir --json`.</summary>
internal sealed record FolderLine(string Url, string Name);

using System.CommandLine;
using System.CommandLine.Help;
using System.Globalization;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace trash`.</summary>
internal static class TrashCommand
{
    public const string Name = "trash";

    private const string Details = """
        A server that was started with --trash keeps deleted and replaced files for a while.

        Examples:
          millrace trash list http://host:8080
          millrace trash restore http://host:8080/files/2026/may.csv
          millrace trash restore http://host:8080/files/2026/may.csv --as 2026/may-old.csv
          millrace trash empty http://host:8080 --older 7d

        Exit codes:
          0    done
          1    not done, or at least one file was not restored (named on the error output)
          130  stopped by Ctrl-C
        """;

    public static Command Create() =>
        new(Name, "List, restore and delete the files that a server keeps after they were deleted.")
        {
            HelpWithDetails.Create(Details), CreateList(), CreateRestore(), CreateEmpty(),
        };

    private static Command CreateList()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string> url = UrlArgument();
        var command = new Command("list", "List deleted and replaced files, the newest first.") { new HelpOption(), url };
        set.AddTo(command);
        command.SetAction(parsed => TransferCommand.Run(Name, set, parsed, parsed.GetValue(url)!, async (settings, stop) =>
        {
            using var session = new TransferSession(settings.Client);
            (TransferTarget target, TransferClient client) =
                await session.OpenAsync(TransferTarget.Parse(parsed.GetValue(url)!), stop).ConfigureAwait(false);
            await foreach (TrashedFile file in client.ListTrashAsync(target.Name, stop).ConfigureAwait(false))
            {
                TransferCommand.WriteLine(Console.Out, settings.Json ? CommandJson.ToLine(TrashLine.Of(file)) : string.Create(
                    CultureInfo.InvariantCulture,
                    $"{file.Id}  {file.Deleted.UtcDateTime:yyyy-MM-dd HH:mm}  {SizeText.Of(file.Length),10}  {file.Name}{(file.IsFolder ? "/" : "")}{(file.IsReplaced ? "  (replaced)" : "")}"));
            }

            return ExitCode.Success;
        }));
        return command;
    }

    private static Command CreateRestore()
    {
        var set = new TransferOptionSet(moves: false);
        var urls = new Argument<string[]>("URL...")
        {
            Description = "The URLs that the files or folders had.",
            Arity = new ArgumentArity(1, TransferCommand.MaxPaths),
        };
        var id = new Option<string?>("--id") { Description = "Restore this entry of the list, not the newest one of the name.", HelpName = "ID" };
        var newName = new Option<string?>("--as") { Description = "Give it this name instead of the one that it had.", HelpName = "NAME" };
        var command = new Command("restore", "Give deleted files or folders their names again. Nothing is ever replaced.")
        {
            new HelpOption(), urls, id, newName,
        };
        set.AddTo(command);
        command.Validators.Add(result =>
        {
            if (result.GetResult(urls)?.Tokens.Count > 1 && (result.GetResult(id) ?? result.GetResult(newName)) is { Implicit: false })
            {
                result.AddError("--id and --as are for one URL.");
            }
        });
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(urls)!;
            TransferName name = parsed.GetValue(newName) is { } text ? TransferName.Parse(text) : default;
            return TransferCommand.Run(Name, set, parsed, given[0], (settings, stop) => RestoreAsync(
                [.. given.Select(TransferTarget.Parse)], parsed.GetValue(id), name, settings, stop));
        });
        return command;
    }

    private static async Task<int> RestoreAsync(
        TransferTarget[] given, string? id, TransferName name, TransferSettings settings, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        int exitCode = ExitCode.Success;
        foreach (TransferTarget one in given)
        {
            try
            {
                (TransferTarget target, TransferClient client) = await session.OpenAsync(one, stop).ConfigureAwait(false);
                if (id is null && target.Name.IsRoot)
                {
                    throw TransferCommand.Invalid($"{one.Text} is the whole server; name a file or folder in the trash, or one entry with --id.");
                }

                TransferName restored = await client.RestoreAsync(
                    id ?? await FindAsync(client, target, stop).ConfigureAwait(false), name, stop).ConfigureAwait(false);
                settings.Print(new RestoredLine(target.UrlOf(restored), restored.Value, Restored: true), $"Restored {target.UrlOf(restored)}.");
            }
            catch (TransferException exception)
            {
                exitCode = ExitCode.TransferFailed;
                TransferCommand.PrintError(Name, settings.Json, one.Text, exception);
            }
        }

        return exitCode;
    }

    private static async ValueTask<string> FindAsync(TransferClient client, TransferTarget target, CancellationToken stop)
    {
        await foreach (TrashedFile file in client.ListTrashAsync(target.Name, stop).ConfigureAwait(false))
        {
            if (file.Name == target.Name)
            {
                return file.Id;
            }
        }

        throw new TransferException(
            TransferError.NotFound, $"There is no '{target.Name}' in the trash; 'millrace trash list' shows what there is.", target.Name.Value);
    }

    private static Command CreateEmpty()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string> url = UrlArgument();
        Option<TimeSpan?> older = DurationArgument.Option("--older", "Delete only what was deleted so long ago.");
        var command = new Command("empty", "Delete the files in the trash for good.") { new HelpOption(), url, older };
        set.AddTo(command);
        command.SetAction(parsed => TransferCommand.Run(Name, set, parsed, parsed.GetValue(url)!, async (settings, stop) =>
        {
            using var session = new TransferSession(settings.Client);
            (TransferTarget target, TransferClient client) =
                await session.OpenAsync(TransferTarget.Parse(parsed.GetValue(url)!), stop).ConfigureAwait(false);
            int deleted = await client.EmptyTrashAsync(target.Name, parsed.GetValue(older), stop).ConfigureAwait(false);
            settings.Print(new EmptiedLine(deleted), $"Deleted {deleted} {(deleted == 1 ? "entry" : "entries")} of the trash for good.");

            return ExitCode.Success;
        }));
        return command;
    }

    private static Argument<string> UrlArgument() => new("URL")
    {
        Description = "The server, or the folder or file on it.",
    };
}

/// <summary>An entry of the trash; a line of `millrace trash list --json`.</summary>
internal sealed record TrashLine(string Id, string Name, bool IsFolder, long Length, DateTimeOffset Deleted, string? By, bool IsReplaced)
{
    public static TrashLine Of(TrashedFile file) =>
        new(file.Id, file.Name.Value, file.IsFolder, file.Length, file.Deleted, file.DeletedBy, file.IsReplaced);
}

/// <summary>A line of `millrace trash restore --json`.</summary>
internal sealed record RestoredLine(string Url, string Name, bool Restored);

/// <summary>The line of `millrace trash empty --json`.</summary>
internal sealed record EmptiedLine(int Deleted);

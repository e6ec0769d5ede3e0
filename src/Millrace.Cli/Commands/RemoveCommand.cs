using System.CommandLine;
using System.CommandLine.Help;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>`millrace rm`.</summary>
internal static class RemoveCommand
{
    private const string Details = """
        Examples:
          millrace rm http://host:8080/files/2026/may.csv
          millrace rm --recursive http://host:8080/files/photos/
          millrace rm --recursive --hidden http://host:8080/files/photos/

        Exit codes:
          0    everything was deleted
          1    could not start, the answer was no, or at least one file was not deleted (named on the error output)
          4    everything was deleted but what the server leaves out of its listings; the error output says how many, and why
          130  stopped by Ctrl-C
        """;

    public static Command Create()
    {
        var set = new TransferOptionSet(moves: false);
        Argument<string[]> urls = RemoteNames.Argument<string[]>(
            set, "URL...", "Files, or folders with a slash at their ends.", new ArgumentArity(1, TransferCommand.MaxPaths));
        var recursive = new Option<bool>("--recursive", "-r")
        {
            Description = "Delete folders with their contents, after asking.",
        };
        var hidden = new Option<bool>("--hidden")
        {
            Description = "Delete files that the server hides with the folder that they are in.",
        };
        hidden.Validators.Add(result =>
        {
            if (result is { Implicit: false } && result.GetResult(recursive) is not { Implicit: false })
            {
                result.AddError("--hidden is for folders, and needs --recursive.");
            }
        });
        var yes = new Option<bool>("--yes", "-y") { Description = "Do not ask." };
        Option<string?> ifMatch = ConditionOptions.IfMatch();
        ifMatch.Validators.Add(result =>
        {
            if (result.GetResult(recursive) is { Implicit: false })
            {
                result.AddError("--if-match and --recursive exclude each other: a tag belongs to one file.");
            }
        });
        HelpOption help = HelpWithDetails.Create(Details);
        var command = new Command("rm", "Delete files on a server.") { help, urls, recursive, hidden, yes, ifMatch };
        set.AddTo(command);
        command.SetAction(parsed =>
        {
            string[] given = parsed.GetValue(urls)!;
            return TransferCommand.Run("rm", set, parsed, given[0], (settings, stop) => RunAsync(
                [.. given.Select(TransferTarget.Parse)],
                ConditionOptions.Read(createNew: false, parsed.GetValue(ifMatch)),
                parsed.GetValue(recursive),
                parsed.GetValue(hidden),
                parsed.GetValue(yes),
                settings,
                stop));
        });
        return command;
    }

    private static async Task<int> RunAsync(
        TransferTarget[] targets,
        WritePrecondition precondition,
        bool recursive,
        bool hidden,
        bool yes,
        TransferSettings settings,
        CancellationToken stop)
    {
        foreach (TransferTarget target in targets)
        {
            if (target.IsFolder && !recursive)
            {
                throw TransferCommand.Invalid($"{target.Text} is a folder. Use --recursive to delete it with everything in it.");
            }
        }

        using var session = new TransferSession(settings.Client);
        var items = new List<RemoveItem>();
        bool folders = false;
        int listed = ExitCode.Success;
        foreach (TransferTarget given in targets)
        {
            (TransferTarget target, TransferClient client) = await session.OpenAsync(given, stop).ConfigureAwait(false);
            folders |= target.IsFolder;
            OmittedEntries omitted = await AddAsync(items, target, client, stop).ConfigureAwait(false);
            listed |= TransferCommand.PrintOmitted(
                "rm", settings.Json, target.UrlOf(target.Name, folder: true), omitted, "not deleted");
        }

        if (items.Count == 0)
        {
            return listed;
        }

        if (folders && !yes && !await ConfirmAsync(items, targets, stop).ConfigureAwait(false))
        {
            return ExitCode.CannotStart;
        }

        int deleted = await DeleteAllAsync(items, precondition, hidden, settings, stop).ConfigureAwait(false);
        return deleted == ExitCode.Success ? listed : deleted;
    }

    /// <returns>How many entries the server leaves out.</returns>
    private static async Task<OmittedEntries> AddAsync(
        List<RemoveItem> items, TransferTarget target, TransferClient client, CancellationToken stop)
    {
        if (!target.IsFolder)
        {
            items.Add(new RemoveItem(client, target.Name, target.UrlOf(target.Name), Bytes: null));
            return default;
        }

        int before = items.Count;
        OmittedEntries omitted = default;
        await foreach (RemoteEntry entry in client.ListAsync(target.Name, recursive: true, count => omitted += count, stop).ConfigureAwait(false))
        {
            if (!entry.IsFolder && entry.Name.IsIn(target.Name))
            {
                items.Add(new RemoveItem(client, entry.Name, target.UrlOf(entry.Name), entry.Length));
            }
        }

        // A root stays, and so it is the folders in it that are deleted.
        if (target.Name.IsRoot)
        {
            await foreach (RemoteEntry entry in client.ListAsync(target.Name, recursive: false, stop).ConfigureAwait(false))
            {
                if (entry.IsFolder)
                {
                    items.Add(FolderOf(target, client, entry.Name));
                }
            }
        }
        else if (omitted.Total == 0)
        {
            items.Add(FolderOf(target, client, target.Name));
        }

        if (items.Count == before && omitted.Total == 0)
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no file in {target.UrlOf(target.Name, folder: true)}.", target.Name.Value);
        }

        return omitted;
    }

    private static RemoveItem FolderOf(TransferTarget target, TransferClient client, TransferName name) =>
        new(client, name, target.UrlOf(name, folder: true), Bytes: null) { IsFolder = true };

    private static async Task<bool> ConfirmAsync(
        List<RemoveItem> items, IReadOnlyList<TransferTarget> targets, CancellationToken stop)
    {
        string where = string.Join(", ", targets.Select(target => target.Text));
        await Console.Error.WriteAsync(
            $"Delete {TransferText.Files(items.Count(item => !item.IsFolder))} ({SizeText.Of(items.Sum(item => item.Bytes ?? 0))}) of {where}? [y/N] ")
            .ConfigureAwait(false);

        // A console's line cannot be canceled: Ctrl-C abandons the reader, as the process ends.
        string? answer = await Task.Run(Console.In.ReadLine, CancellationToken.None).WaitAsync(stop).ConfigureAwait(false);
        if (answer?.Trim().ToUpperInvariant() is "Y" or "YES")
        {
            return true;
        }

        await Console.Error.WriteLineAsync(answer is null
            ? "\nmillrace rm: no answer, so nothing was deleted; use --yes to delete without asking."
            : "millrace rm: nothing was deleted.").ConfigureAwait(false);
        return false;
    }

    private static async Task<int> DeleteAllAsync(
        List<RemoveItem> items, WritePrecondition precondition, bool hidden, TransferSettings settings, CancellationToken stop)
    {
        List<RemoveItem> files = items.FindAll(item => !item.IsFolder);
        var printing = new Lock();
        int deleted = 0;
        int failed = 0;
        bool stopped = false;
        try
        {
            await Parallel.ForEachAsync(
                files,
                new ParallelOptions { MaxDegreeOfParallelism = TransferBatch.AtOnce, CancellationToken = stop },
                async (item, cancellationToken) =>
                {
                    Exception? error = await DeleteAsync(item, precondition, cancellationToken).ConfigureAwait(false);
                    lock (printing)
                    {
                        deleted += error is null ? 1 : 0;
                        failed += error is null ? 0 : 1;
                        Print(item, error, settings);
                    }
                }).ConfigureAwait(false);
            foreach (RemoveItem folder in failed == 0 ? items.Where(item => item.IsFolder) : [])
            {
                Exception? error = await DeleteFolderAsync(folder, hidden, stop).ConfigureAwait(false);
                failed += error is null ? 0 : 1;
                Print(folder, error, settings);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            stopped = true;
            await Console.Error.WriteLineAsync(
                $"millrace rm: stopped; {deleted} of {TransferText.Files(files.Count)} deleted. The same command deletes the others.")
                .ConfigureAwait(false);
        }

        if (files.Count > 1 && !settings.Quiet && !settings.Json)
        {
            string others = failed > 0 ? $"; {failed} failed" : "";
            TransferCommand.WriteLine(Console.Out, $"Deleted {TransferText.Files(deleted)}{others}.");
        }

        return stopped ? ExitCode.Stopped : failed > 0 ? ExitCode.TransferFailed : ExitCode.Success;
    }

    /// <summary>Deletes a folder whose files were deleted, unless there are others by now, which the user did not confirm.</summary>
    private static async Task<Exception?> DeleteFolderAsync(RemoveItem folder, bool hidden, CancellationToken stop)
    {
        try
        {
            await foreach (RemoteEntry entry in folder.Client.ListAsync(folder.Name, recursive: true, stop).ConfigureAwait(false))
            {
                return new TransferException(
                    TransferError.Changed,
                    $"The folder got the file '{entry.Name}' while its files were deleted, and was kept. Run the same command to delete both.",
                    folder.Name.Value);
            }

            await folder.Client.DeleteFolderAsync(folder.Name, new DeleteFolderOptions { IncludeHidden = hidden }, stop).ConfigureAwait(false);
            return null;
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // A bucket has a folder only while it has a file in it.
            return null;
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception) && !stop.IsCancellationRequested)
        {
            return exception;
        }
    }

    private static async Task<Exception?> DeleteAsync(
        RemoveItem item, WritePrecondition precondition, CancellationToken stop)
    {
        try
        {
            return await item.Client.DeleteAsync(item.Name, precondition, stop).ConfigureAwait(false)
                ? null
                : new TransferException(TransferError.NotFound, $"There is no file {item.Url}.", item.Name.Value);
        }
        catch (Exception exception) when (TransferFailure.IsExpected(exception) && !stop.IsCancellationRequested)
        {
            return exception;
        }
    }

    private static void Print(RemoveItem item, Exception? error, TransferSettings settings)
    {
        if (error is not null)
        {
            TransferCommand.PrintError("rm", settings.Json, item.Url, error);
        }
        else
        {
            settings.Print(new RemoveLine(item.Url, item.Name.Value, Deleted: true), $"Deleted {item.Url}.");
        }
    }

}
internal sealed record RemoveItem(TransferClient Client, TransferName Name, string Url, long? Bytes)
{
    public bool IsFolder { get; init; }
}

/// <summary>A file or folder that was deleted; a line of `millrace rm --json`.</summary>
internal sealed record RemoveLine(string Url, string Name, bool Deleted);

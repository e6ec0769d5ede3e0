using Millrace.Cli.Copy;
using Millrace.Cli.Transfer;
using Millrace.Transfer;

namespace Millrace.Cli.Remove;

/// <summary>Finds what there is to delete, asks, deletes and tells.</summary>
internal static class RemoveRunner
{
    /// <summary>Does it.</summary>
    /// <returns>See <see cref="ExitCode"/>.</returns>
    public static async Task<int> RunAsync(RemoveArguments arguments, CancellationToken stop)
    {
        foreach (TransferTarget target in arguments.Targets)
        {
            if (target.IsFolder && !arguments.Recursive)
            {
                throw Wrong($"{target.Text} is a folder. Use --recursive to delete it with everything in it.");
            }
        }

        using var session = new TransferSession(arguments.Settings.Client);
        var items = new List<RemoveItem>();
        bool folders = false;
        foreach (TransferTarget given in arguments.Targets)
        {
            (TransferTarget target, TransferClient client) = await session.OpenAsync(given, stop).ConfigureAwait(false);
            folders |= target.IsFolder;
            await AddAsync(items, target, client, stop).ConfigureAwait(false);
        }

        if (folders && !arguments.Yes && !await ConfirmAsync(items, arguments.Targets, stop).ConfigureAwait(false))
        {
            return ExitCode.CannotStart;
        }

        return await DeleteAsync(items, arguments, stop).ConfigureAwait(false);
    }

    private static async Task AddAsync(
        List<RemoveItem> items, TransferTarget target, TransferClient client, CancellationToken stop)
    {
        if (!target.IsFolder)
        {
            items.Add(new RemoveItem(client, target.Name, target.UrlOf(target.Name), Bytes: null));
            return;
        }

        int before = items.Count;
        await foreach (RemoteEntry entry in client.ListAsync(target.Name, recursive: true, stop).ConfigureAwait(false))
        {
            if (!entry.IsFolder && entry.Name.IsIn(target.Name))
            {
                items.Add(new RemoveItem(client, entry.Name, target.UrlOf(entry.Name), entry.Length));
            }
        }

        if (items.Count == before)
        {
            throw new TransferException(
                TransferError.NotFound, $"There is no file in {target.UrlOf(target.Name, folder: true)}.", target.Name.Value);
        }
    }

    private static async Task<bool> ConfirmAsync(
        List<RemoveItem> items, IReadOnlyList<TransferTarget> targets, CancellationToken stop)
    {
        string where = string.Join(", ", targets.Select(target => target.Text));
        await Console.Error.WriteAsync(
            $"Delete {TransferText.Files(items.Count)} ({SizeText.Of(items.Sum(item => item.Bytes ?? 0))}) of {where}? [y/N] ")
            .ConfigureAwait(false);

        // A console's line cannot be canceled: Ctrl-C leaves the reader behind, as the process ends.
        string? answer = await Task.Run(Console.In.ReadLine, CancellationToken.None).WaitAsync(stop).ConfigureAwait(false);
        if (answer?.Trim().ToUpperInvariant() is "Y" or "YES")
        {
            return true;
        }

        await Console.Error.WriteLineAsync(answer is null
            ? "\nmillrace rm: nobody answered, and nothing was deleted. Use --yes where nobody is there to be asked."
            : "millrace rm: nothing was deleted.").ConfigureAwait(false);
        return false;
    }

    private static async Task<int> DeleteAsync(List<RemoveItem> items, RemoveArguments arguments, CancellationToken stop)
    {
        var tell = new Lock();
        int deleted = 0;
        int failed = 0;
        bool stopped = false;
        try
        {
            await Parallel.ForEachAsync(
                items,
                new ParallelOptions { MaxDegreeOfParallelism = TransferBatch.AtOnce, CancellationToken = stop },
                async (item, cancellationToken) =>
                {
                    Exception? error = await DeleteAsync(item, arguments.Precondition, cancellationToken).ConfigureAwait(false);
                    lock (tell)
                    {
                        deleted += error is null ? 1 : 0;
                        failed += error is null ? 0 : 1;
                        Tell(item, error, arguments.Settings);
                    }
                }).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            stopped = true;
            await Console.Error.WriteLineAsync(
                $"millrace rm: stopped; {deleted} of {TransferText.Files(items.Count)} deleted. The same command deletes the others.")
                .ConfigureAwait(false);
        }

        if (items.Count > 1 && !arguments.Settings.Quiet && !arguments.Settings.Json)
        {
            string others = failed > 0 ? $"; {failed} failed" : "";
            TransferCommand.WriteLine(Console.Out, $"Deleted {TransferText.Files(deleted)}{others}.");
        }

        return stopped ? ExitCode.Stopped : failed > 0 ? ExitCode.TransferFailed : ExitCode.Success;
    }

    /// <returns>Why it failed; null when it did not.</returns>
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

    private static void Tell(RemoveItem item, Exception? error, TransferSettings settings)
    {
        if (error is not null)
        {
            TransferCommand.Tell("rm", settings.Json, item.Url, error);
        }
        else if (settings.Json)
        {
            TransferCommand.WriteLine(Console.Out, new RemoveLine(item.Url, item.Name.Value, Deleted: true).ToJson());
        }
        else if (!settings.Quiet)
        {
            TransferCommand.WriteLine(Console.Out, $"Deleted {item.Url}.");
        }
    }

    private static TransferException Wrong(string message) => new(TransferError.InvalidRequest, message);
}

using System.Security.Cryptography;
using System.Text;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>One run of `millrace sync`.</summary>
internal sealed class SyncRun(SyncOptions options, TransferSettings settings, bool isDry, bool waits, bool tellsNothing)
{
    /// <summary>How often a run that waits for another one looks whether it has ended.</summary>
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    public async Task<int> RunAsync(string source, string target, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        Side from = await OpenAsync(session, source, stop).ConfigureAwait(false);
        Side to = await OpenAsync(session, target, stop).ConfigureAwait(false);
        ThrowIfNested(from, to);
        if (from.IsHere && !Directory.Exists(source))
        {
            throw new TransferException(TransferError.NotFound, $"There is no folder '{source}'.", source);
        }

        SyncOptions resolved = options with { BackupFolder = BackupOf(to) };
        using FileStream? held = isDry ? null : await LockAsync(to, stop).ConfigureAwait(false);
        var sync = new FolderSync(from.Folder, to.Folder, resolved);
        SyncPlan plan = await sync.PlanAsync(stop).ConfigureAwait(false);
        var printer = new SyncPrinter(settings, resolved, to);
        int code = printer.Faults(plan.Faults);
        if (isDry)
        {
            printer.Plan(plan);
        }
        else
        {
            code = await MoveAsync(sync, plan, printer, from, to, code, stop).ConfigureAwait(false);
        }

        return code == ExitCode.Success && plan.Steps.Count == 0 && tellsNothing ? ExitCode.NothingToDo : code;
    }

    private static async Task<Side> OpenAsync(TransferSession session, string text, CancellationToken stop)
    {
        if (!text.Contains("://", StringComparison.Ordinal))
        {
            return new Side(Path.TrimEndingDirectorySeparator(Path.GetFullPath(text)), SyncFolder.Here(text), null);
        }

        (TransferTarget target, TransferClient client) = await session
            .OpenAsync(TransferTarget.Parse(text.EndsWith('/') ? text : text + "/"), stop).ConfigureAwait(false);
        return new Side(target.UrlOf(target.Name, folder: true), SyncFolder.OnServer(client, target.Name), target);
    }

    private static void ThrowIfNested(Side from, Side to)
    {
        if (from.IsHere && to.IsHere && (IsIn(from.Text, to.Text) || IsIn(to.Text, from.Text)))
        {
            throw TransferCommand.Invalid($"'{from.Text}' and '{to.Text}' are the same folder, or one is in the other.");
        }

        static bool IsIn(string inner, string outer) => (inner + Path.DirectorySeparatorChar)
            .StartsWith(outer + Path.DirectorySeparatorChar, StringComparison.Ordinal);
    }

    /// <summary>The folder for removed files as the library takes it: on a server by its whole name.</summary>
    private string? BackupOf(Side to)
    {
        if (options.BackupFolder is not { } folder || to.Target is not { } target)
        {
            return options.BackupFolder;
        }

        var url = new Uri(new Uri(to.Text), string.Join('/', folder.Split('/').Select(Uri.EscapeDataString)) + "/");
        string files = target.Files.AbsoluteUri;
        return url.AbsoluteUri.StartsWith(files, StringComparison.Ordinal)
            && TransferName.TryParseEncoded(url.AbsoluteUri[files.Length..].TrimEnd('/'), out TransferName name)
            ? name.Value
            : throw TransferCommand.Invalid($"--backup-dir: '{folder}' is no folder on the server. Give one relative to TARGET, such as ../old.");
    }

    /// <summary>Two runs into one target would undo each other's work.</summary>
    private async Task<FileStream> LockAsync(Side to, CancellationToken stop)
    {
        string folder = StateFolder.Of("sync");
        Directory.CreateDirectory(folder);
        string name = Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes(to.Text)).AsSpan(0, 16));
        while (true)
        {
            try
            {
                return new FileStream(
                    Path.Combine(folder, name), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose);
            }
            catch (IOException) when (waits)
            {
                await Task.Delay(Pause, stop).ConfigureAwait(false);
            }
            catch (IOException exception)
            {
                throw new TransferException(
                    TransferError.Unavailable, $"Another sync into '{to.Text}' is running. Wait for it, or add --wait.", to.Text, exception);
            }
        }
    }

    private async Task<int> MoveAsync(
        FolderSync sync, SyncPlan plan, SyncPrinter printer, Side from, Side to, int code, CancellationToken stop)
    {
        // Removals of files that are in the way and renames, then transfers, then other removals.
        List<SyncStep> before = [.. plan.Steps.TakeWhile(static step => !IsTransfer(step))];
        List<SyncStep> transfers = [.. plan.Steps.Where(IsTransfer)];
        bool failed = !await StepsAsync(sync, before, printer, stop).ConfigureAwait(false);
        if (transfers.Count > 0)
        {
            Dictionary<TransferItem, SyncStep> steps = new(ReferenceEqualityComparer.Instance);
            var items = new List<TransferItem>(transfers.Count);
            foreach (SyncStep step in transfers)
            {
                var item = new TransferItem(
                    (from.IsHere ? from : to).PlaceOf(step.Name), step.Name, (to.IsHere ? from : to).PlaceOf(step.Name), step.Length)
                {
                    IsFound = true,
                };
                items.Add(item);
                steps.Add(item, step);
            }

            int moved = await TransferBatch.RunAsync(
                new TransferJob
                {
                    Command = "sync",
                    Verb = "Synced",
                    NameReason = "with names that the other side does not take",
                    Settings = settings,
                    Items = items,
                    Output = Console.Out,
                    Describe = item => $"{from.PlaceOf(item.Name)} to {to.PlaceOf(item.Name)}",
                    Continues = true,
                    Move = async (item, progress, token) =>
                        await sync.RunAsync(steps[item], progress, token).ConfigureAwait(false)
                        ?? new TransferResult(item.Name, item.Bytes ?? 0, null, null, default, 0, 1),
                },
                stop).ConfigureAwait(false);
            if (moved == ExitCode.Stopped)
            {
                return moved;
            }

            failed |= moved == ExitCode.TransferFailed;
            code = code == ExitCode.Success ? moved : code;
        }

        failed |= !await StepsAsync(sync, plan.Steps.Skip(before.Count + transfers.Count), printer, stop).ConfigureAwait(false);
        await sync.FinishAsync(plan, stop).ConfigureAwait(false);
        printer.Finish(plan, failed);
        return failed ? ExitCode.TransferFailed : code;
    }

    private static bool IsTransfer(SyncStep step) => step.Action is SyncAction.Add or SyncAction.Replace;

    private static async Task<bool> StepsAsync(
        FolderSync sync, IEnumerable<SyncStep> steps, SyncPrinter printer, CancellationToken stop)
    {
        bool succeeded = true;
        foreach (SyncStep step in steps)
        {
            try
            {
                await sync.RunAsync(step, progress: null, stop).ConfigureAwait(false);
                printer.Step(step, error: null);
            }
            catch (Exception exception) when (TransferFailure.IsExpected(exception))
            {
                printer.Step(step, exception);
                succeeded = false;
            }
        }

        return succeeded;
    }
}

/// <summary>One side as the user named it.</summary>
/// <param name="Text">The whole path or URL.</param>
/// <param name="Folder">The folder to sync.</param>
/// <param name="Target">The server's; null for a folder here.</param>
internal sealed record Side(string Text, SyncFolder Folder, TransferTarget? Target)
{
    public bool IsHere => Target is null;

    public string PlaceOf(TransferName name) => Target is null
        ? Path.Combine(Text, name.Value.Replace('/', Path.DirectorySeparatorChar))
        : Text + name.ToEncoded();
}

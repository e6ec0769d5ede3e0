using System.Collections;
using System.Collections.Concurrent;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>One run of `millrace sync`.</summary>
internal sealed class SyncRun(SyncOptions options, TransferSettings settings)
{
    /// <summary>Whether it prints the plan and changes nothing.</summary>
    public bool IsDry { get; init; }

    /// <summary>Whether it waits for another run into the target.</summary>
    public bool Waits { get; init; }

    /// <summary>Whether the exit code reports that there was nothing to do.</summary>
    public bool TellsNothing { get; init; }

    /// <summary>Whether it goes on with files that change later.</summary>
    public bool Watches { get; init; }

    /// <summary>Whether the target changes in one step, when everything is there.</summary>
    public bool IsAtomic { get; init; }

    /// <summary>How many earlier versions of the target are kept; null for no new one.</summary>
    public int? Keep { get; init; }

    /// <summary>How often the target is staged again after others changed it.</summary>
    private const int MaxStages = 5;

    /// <summary>Gives a folder the version back that was kept last.</summary>
    public async Task<int> RestoreAsync(string target, CancellationToken stop)
    {
        using var session = new TransferSession(settings.Client);
        Side to = await OpenAsync(session, target, stop).ConfigureAwait(false);
        return await SyncHold.RunAsync(to, Waits, RestoreAsync, stop).ConfigureAwait(false);

        async Task<int> RestoreAsync(CancellationToken token)
        {
            DateTimeOffset replaced = await SyncStage.RestoreAsync(to.Folder, token).ConfigureAwait(false);
            new SyncPrinter(settings, options, to).Restored(replaced);
            return ExitCode.Success;
        }
    }

    public async Task<int> RunAsync(string source, string target, CancellationToken stop)
    {
        if (Watches && IsUrl(source))
        {
            throw TransferCommand.Invalid($"--watch: '{source}' is not a folder here, and only these can be watched. Run the sync at intervals instead.");
        }

        using var session = new TransferSession(settings.Client);
        Side from = await OpenAsync(session, source, stop).ConfigureAwait(false);
        Side to = await OpenAsync(session, target, stop).ConfigureAwait(false);
        ThrowIfNested(from, to);
        if (from.IsHere && !Directory.Exists(source))
        {
            throw new TransferException(TransferError.NotFound, $"There is no folder '{source}'.", source);
        }

        SyncOptions resolved = options with { BackupFolder = BackupOf(to) };
        return IsDry
            ? await RunAsync(from, to, resolved, stop).ConfigureAwait(false)
            : await SyncHold.RunAsync(to, Waits, token => RunAsync(from, to, resolved, token), stop).ConfigureAwait(false);
    }

    private async Task<int> RunAsync(Side from, Side to, SyncOptions resolved, CancellationToken stop)
    {
        var sync = new FolderSync(from.Folder, to.Folder, resolved);
        var printer = new SyncPrinter(settings, resolved, to);
        if (Watches)
        {
            return await WatchAsync(sync, printer, from, to, stop).ConfigureAwait(false);
        }

        SyncPlan plan = await sync.PlanAsync(stop).ConfigureAwait(false);
        if (IsAtomic && !IsDry)
        {
            if (!plan.IsEmpty)
            {
                return await PublishAsync(printer, from, to, resolved, stop).ConfigureAwait(false);
            }

            // Of a run that was killed after it had published.
            await SyncStage.DeleteUnfinishedAsync(to.Folder, stop).ConfigureAwait(false);
        }

        int code = printer.Faults(plan.Faults);
        if (IsDry)
        {
            printer.Plan(plan);
        }
        else
        {
            int moved = await MoveAsync(sync, plan, printer, from, to, [], stop).ConfigureAwait(false);
            if (moved != ExitCode.Stopped)
            {
                printer.Finish(plan, moved == ExitCode.TransferFailed, isWhole: true);
            }

            code = moved is ExitCode.Success or ExitCode.LeftOut && code != ExitCode.Success ? code : moved;
        }

        return code == ExitCode.Success && plan.Steps.Count == 0 && TellsNothing ? ExitCode.NothingToDo : code;
    }

    private static async Task<Side> OpenAsync(TransferSession session, string text, CancellationToken stop)
    {
        if (!IsUrl(text))
        {
            return new Side(Path.TrimEndingDirectorySeparator(Path.GetFullPath(text)), SyncFolder.Here(text), null, null);
        }

        (TransferTarget target, TransferClient client) = await session
            .OpenAsync(TransferTarget.Parse(text.EndsWith('/') ? text : text + "/"), stop).ConfigureAwait(false);
        return new Side(target.UrlOf(target.Name, folder: true), SyncFolder.OnServer(client, target.Name), target, client);
    }

    private static bool IsUrl(string text) => text.Contains("://", StringComparison.Ordinal);

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

    /// <summary>Makes the next version of the target beside it, and publishes it when everything is there.</summary>
    private async Task<int> PublishAsync(SyncPrinter printer, Side from, Side to, SyncOptions resolved, CancellationToken stop)
    {
        for (int i = 1; ; i++)
        {
            SyncStage stage = await SyncStage.CreateAsync(to.Folder, stop).ConfigureAwait(false);
            var sync = new FolderSync(from.Folder, stage.Folder, resolved);
            SyncPlan plan = await sync.PlanAsync(stop).ConfigureAwait(false);
            int code = printer.Faults(plan.Faults);
            int moved = await MoveAsync(sync, plan, printer, from, to, [], stop).ConfigureAwait(false);
            if (moved is ExitCode.Stopped or ExitCode.TransferFailed)
            {
                printer.NotPublished();
                return moved;
            }

            try
            {
                await stage.PublishAsync(Keep, stop).ConfigureAwait(false);
            }
            catch (TransferException exception) when (i < MaxStages
                && exception.Error is TransferError.PreconditionFailed or TransferError.AlreadyExists)
            {
                printer.StagedAgain();
                continue;
            }

            printer.Finish(plan, failed: false, isWhole: true);
            return code == ExitCode.Success ? moved : code;
        }
    }

    /// <summary>Keeps the target in step until Ctrl-C, which is the end that is expected while nothing is moved.</summary>
    private async Task<int> WatchAsync(FolderSync sync, SyncPrinter printer, Side from, Side to, CancellationToken stop)
    {
        bool isMoving = false;
        bool isFirst = true;
        int code = ExitCode.Success;
        try
        {
            await sync.WatchAsync(MoveAllAsync, stop).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested && !isMoving)
        {
            // Nothing is lost of a comparison.
        }

        return code == ExitCode.Stopped ? code : ExitCode.Success;

        async Task<IReadOnlyCollection<TransferName>> MoveAllAsync(SyncPlan plan, CancellationToken token)
        {
            isMoving = !plan.IsEmpty;
            printer.Faults(plan.Faults);
            var failed = new ConcurrentQueue<TransferName>();
            code = await MoveAsync(sync, plan, printer, from, to, failed, token).ConfigureAwait(false);
            if (code != ExitCode.Stopped && (isFirst || plan.Steps.Count > 0))
            {
                printer.Finish(plan, code == ExitCode.TransferFailed, isFirst);
            }

            if (isFirst)
            {
                printer.Watching(from);
            }

            isFirst = false;
            isMoving = false;
            return failed;
        }
    }

    /// <param name="sync">The two folders.</param>
    /// <param name="plan">The changes to make.</param>
    /// <param name="printer">Reports them.</param>
    /// <param name="from">The source.</param>
    /// <param name="to">The target.</param>
    /// <param name="failed">Receives the names of files that another try may help.</param>
    /// <param name="stop">Ends it.</param>
    /// <returns>The exit code.</returns>
    private async Task<int> MoveAsync(
        FolderSync sync, SyncPlan plan, SyncPrinter printer, Side from, Side to, ConcurrentQueue<TransferName> failed, CancellationToken stop)
    {
        int code = ExitCode.Success;
        foreach (IReadOnlyList<SyncStep> phase in plan.Phases)
        {
            int done = IsTransfer(phase[0])
                ? await TransferAsync(sync, phase, from, to, failed, stop).ConfigureAwait(false)
                : await StepsAsync(sync, phase, printer, failed, stop).ConfigureAwait(false);
            if (done == ExitCode.Stopped)
            {
                return done;
            }

            code = code == ExitCode.TransferFailed || done == ExitCode.Success ? code : done;
        }

        await sync.FinishAsync(plan, stop).ConfigureAwait(false);
        return code;
    }

    private async Task<int> TransferAsync(
        FolderSync sync, IReadOnlyList<SyncStep> steps, Side from, Side to, ConcurrentQueue<TransferName> failed, CancellationToken stop)
    {
        return await TransferBatch.RunAsync(
            new TransferJob
            {
                Command = "sync",
                Verb = "Synced",
                NameReason = "with names that the other side does not take",
                Settings = settings,
                Items = new SyncItems(steps, from, to),
                Output = Console.Out,
                Describe = item => $"{from.PlaceOf(item.Name)} to {to.PlaceOf(item.Name)}",
                SmallAtOnce = SmallAtOnce(from, to),
                Receives = to.IsHere,
                Continues = true,
                Move = async (item, progress, token) =>
                {
                    try
                    {
                        return await sync.RunAsync(item.Step!, progress, token).ConfigureAwait(false)
                            ?? new TransferResult(item.Name, item.Bytes ?? 0, null, null, default, 0, 1);
                    }
                    catch (Exception exception) when (NoteFailure(item.Name, exception, failed))
                    {
                        throw;
                    }
                },
            },
            stop).ConfigureAwait(false);
    }

    /// <summary>How many small files may move; null for a few, as copies here share no wait for the device.</summary>
    internal static Func<int>? SmallAtOnce(Side from, Side to) =>
        to.Client is { } client ? () => client.SmallFilesAtOnce
        : from.Client is not null ? static () => FileTurns.Most
        : null;

    private static bool IsTransfer(SyncStep step) => step.Action is SyncAction.Add or SyncAction.Replace;

    /// <returns>False, so that the exception goes on.</returns>
    private static bool NoteFailure(TransferName name, Exception exception, ConcurrentQueue<TransferName> failed)
    {
        if (exception is not (OperationCanceledException or TransferException { Error: TransferError.InvalidName, Status: not 409 }))
        {
            failed.Enqueue(name);
        }

        return false;
    }

    private static async Task<int> StepsAsync(
        FolderSync sync, IEnumerable<SyncStep> steps, SyncPrinter printer, ConcurrentQueue<TransferName> failed, CancellationToken stop)
    {
        int code = ExitCode.Success;
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
                NoteFailure(step.Name, exception, failed);
                code = ExitCode.TransferFailed;
            }
        }

        return code;
    }
}

/// <summary>The files of steps. Made when it is their turn: there may be millions.</summary>
internal sealed class SyncItems(IReadOnlyList<SyncStep> steps, Side from, Side to) : IReadOnlyCollection<TransferItem>
{
    public int Count => steps.Count;

    public IEnumerator<TransferItem> GetEnumerator()
    {
        foreach (SyncStep step in steps)
        {
            yield return new TransferItem(
                (from.IsHere ? from : to).PlaceOf(step.Name), step.Name, (to.IsHere ? from : to).PlaceOf(step.Name), step.Length)
            {
                IsFound = true,
                Step = step,
            };
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

/// <summary>One side as the user named it.</summary>
/// <param name="Text">The whole path or URL.</param>
/// <param name="Folder">The folder to sync.</param>
/// <param name="Target">The server's; null for a folder here.</param>
/// <param name="Client">The same.</param>
internal sealed record Side(string Text, SyncFolder Folder, TransferTarget? Target, TransferClient? Client)
{
    public bool IsHere => Target is null;

    public string PlaceOf(TransferName name) => Target is null
        ? Path.Combine(Text, name.Value.Replace('/', Path.DirectorySeparatorChar))
        : Text + name.ToEncoded();
}

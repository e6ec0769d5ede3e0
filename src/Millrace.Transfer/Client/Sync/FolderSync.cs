using System.Diagnostics;

namespace Millrace.Transfer;

/// <summary>
/// Makes one folder like another: one way, each file whole or not at all, and only files that differ. At least one of the two is here.
/// </summary>
/// <remarks>
/// Every change of the target is made on the condition that the file there is still the one that was compared; if it is not, that file is
/// compared again. Not thread-safe.
/// </remarks>
/// <param name="source">The folder that stays as it is.</param>
/// <param name="target">The folder that changes.</param>
/// <param name="options">How.</param>
public sealed class FolderSync(SyncFolder source, SyncFolder target, SyncOptions options)
{
    /// <summary>How often a file that others change meanwhile is compared again.</summary>
    private const int MaxComparisons = 3;

    private static readonly TimeSpan MinRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan MaxRetry = TimeSpan.FromMinutes(1);

    /// <summary>Compares the two folders, and changes nothing.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">
    /// A server refused the listing; or <see cref="TransferError.InvalidRequest"/>: more would be removed than the options allow.
    /// </exception>
    public async Task<SyncPlan> PlanAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfNoneIsHere();
        return await new SyncPlanner(source, target, options).PlanAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Carries out a plan.</summary>
    /// <param name="plan">The plan of <see cref="PlanAsync"/>.</param>
    /// <param name="progress">Receives each step that has ended, and the exception of one that failed; called by several threads. Null for none.</param>
    /// <param name="cancellationToken">Ends it; files that are finished stay.</param>
    /// <returns>The number of steps that failed.</returns>
    public async Task<int> RunAsync(
        SyncPlan plan, IProgress<(SyncStep Step, Exception? Error)>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(plan);
        int failed = 0;
        TransferClient? to = (target as SyncFolderOnServer)?.Client;
        TransferClient? from = (source as SyncFolderOnServer)?.Client;
        using var turns = new FileTurns(() => to?.SmallFilesAtOnce ?? from?.SmallDownloadsAtOnce ?? 0, options.FilesAtOnce, options.FilesAtOnce);
        foreach (IReadOnlyList<SyncStep> phase in plan.Phases)
        {
            await Parallel.ForEachAsync(
                phase,
                new ParallelOptions { MaxDegreeOfParallelism = (to ?? from) is null ? options.FilesAtOnce : FileTurns.Most, CancellationToken = cancellationToken },
                async (step, token) =>
                {
                    Exception? error = null;
                    int turn = await turns.EnterAsync(step.IsSmallFile, token).ConfigureAwait(false);
                    try
                    {
                        await RunAsync(step, null, token).ConfigureAwait(false);
                    }
                    catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                    {
                        error = exception;
                        Interlocked.Increment(ref failed);
                    }
                    finally
                    {
                        turns.Leave(turn);
                    }

                    progress?.Report((step, error));
                }).ConfigureAwait(false);
        }

        await FinishAsync(plan, cancellationToken).ConfigureAwait(false);
        return failed;
    }

    /// <summary>Does one step, which others may wait for: see <see cref="SyncPlan.Phases"/>.</summary>
    /// <param name="step">A step of the plan.</param>
    /// <param name="progress">Receives progress about ten times per second, or null.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The result of a transfer; null for other steps, and where the target turned out to have the file.</returns>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    /// <exception cref="FilePipeException">A file here cannot be read or written.</exception>
    public async Task<TransferResult?> RunAsync(
        SyncStep step, IProgress<TransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(step);
        try
        {
            return await TryAsync(step, progress, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (options.Delete && step.Action is SyncAction.Add or SyncAction.Rename
            && exception is IOException or UnauthorizedAccessException)
        {
            // Perhaps because there is a folder of that name. One without files was in no listing.
            if (!await target.TryClearAsync(step.Name, cancellationToken).ConfigureAwait(false))
            {
                throw;
            }
        }

        return await TryAsync(step, progress, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Makes the target like the source, and again whenever files of the source have changed, until it is canceled.</summary>
    /// <param name="carryOut">
    /// Carries out a plan, of which <see cref="SyncPlan.Faults"/> may be all, and returns the names of files that failed and are tried again.
    /// </param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <remarks>
    /// A file is moved when it has not changed for <see cref="SyncOptions.Settle"/>. If the system has lost notifications, or cannot send
    /// them, everything is compared again. What fails because of the network is tried again after pauses of 1 s to 1 min.
    /// </remarks>
    /// <exception cref="TransferException">
    /// The first comparison failed; later ones only if a repetition does not help. <see cref="TransferError.NotFound"/>: the source is gone.
    /// </exception>
    public async Task WatchAsync(
        Func<SyncPlan, CancellationToken, Task<IReadOnlyCollection<TransferName>>> carryOut, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(carryOut);
        if (source is not SyncFolderHere here)
        {
            throw new TransferException(TransferError.InvalidRequest, "Only a folder here can be watched. Run the sync at intervals instead.");
        }

        using var watch = new SyncWatch(here.Root, options.Settle);
        await RunWatchAsync(watch, here.Root, carryOut, cancellationToken).ConfigureAwait(false);
    }

    internal async Task RunWatchAsync(
        SyncWatch watch,
        string root,
        Func<SyncPlan, CancellationToken, Task<IReadOnlyCollection<TransferName>>> carryOut,
        CancellationToken cancellationToken)
    {
        IReadOnlyList<TransferName>? changed = null;
        int? targets = null;
        TimeSpan retry = MinRetry;
        while (true)
        {
            if (!Directory.Exists(root))
            {
                throw new TransferException(TransferError.NotFound, $"There is no folder '{root}' any more.", root);
            }

            long began = Stopwatch.GetTimestamp();
            bool isWhole = changed is null || targets is null;
            IReadOnlyCollection<TransferName> failed = [];
            bool succeeded = true;
            try
            {
                var planner = new SyncPlanner(source, target, options);
                SyncPlan plan = await (isWhole
                    ? planner.PlanAsync(cancellationToken)
                    : planner.PlanAsync(changed!, targets!.Value, cancellationToken)).ConfigureAwait(false);
                plan = plan.Where(watch.IsSettled, watch.TakeFault());
                if (isWhole || plan.Steps.Count > 0 || plan.Faults.Count > 0 || plan.Dates.Count > 0)
                {
                    failed = await carryOut(plan, cancellationToken).ConfigureAwait(false);
                }

                targets = plan.Targets + plan.Steps.Sum(static step => step.Action switch { SyncAction.Add => 1, SyncAction.Remove => -1, _ => 0 });
            }
            catch (Exception exception) when (targets is not null && exception is UnauthorizedAccessException
                or (IOException and not TransferException { IsTransient: false }))
            {
                var fault = new SyncFault(root, exception, HidesFiles: true);
                await carryOut(new SyncPlan([], [fault], 0, []), cancellationToken).ConfigureAwait(false);
                watch.ExpectAll(retry);
                succeeded = false;
            }

            foreach (TransferName name in failed)
            {
                watch.Expect(name, retry);
            }

            retry = succeeded && failed.Count == 0 ? MinRetry : TimeSpan.FromTicks(Math.Min(2 * retry.Ticks, MaxRetry.Ticks));

            // Where notifications are lost again and again, half of the time is spent on comparing.
            changed = await watch.NextAsync(isWhole ? Stopwatch.GetElapsedTime(began) : default, cancellationToken).ConfigureAwait(false);
        }
    }

    private void ThrowIfNoneIsHere()
    {
        if (source is SyncFolderOnServer && target is SyncFolderOnServer)
        {
            throw new TransferException(TransferError.InvalidRequest, "One of the two folders has to be here. Get the files first, then put them.");
        }
    }

    private async Task<TransferResult?> TryAsync(SyncStep step, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        switch (step.Action)
        {
            case SyncAction.Rename:
                await target.MoveAsync(step.Target!, step.Name, cancellationToken).ConfigureAwait(false);
                await SetTimeOfRenamedAsync(step, cancellationToken).ConfigureAwait(false);
                return null;
            case SyncAction.Remove:
                await (options.BackupFolder is { } backup && step.Target!.LinkTarget is null
                    ? target.KeepAsync(step.Target!, backup, cancellationToken)
                    : target.RemoveAsync(step.Target!, cancellationToken)).ConfigureAwait(false);
                foreach (TransferName folder in step.IsInTheWay ? step.Name.Folders() : [])
                {
                    await target.RemoveEmptyAsync(folder, cancellationToken).ConfigureAwait(false);
                }

                return null;
        }

        SyncEntry from = step.Source!;
        SyncEntry? listed = step.Target;
        for (int i = 1; ; i++)
        {
            try
            {
                return await TransferAsync(from, listed, progress, cancellationToken).ConfigureAwait(false);
            }
            catch (IOException exception) when (i < MaxComparisons && exception
                is TransferException { Error: TransferError.PreconditionFailed or TransferError.AlreadyExists or TransferError.Changed }
                or FilePipeException { Error: FilePipeError.Truncated or FilePipeError.Changed })
            {
                // Another program changed a file: look at both sides again.
                if (await source.FindAsync(step.Name, options.SymbolicLinks, cancellationToken).ConfigureAwait(false) is not { } now)
                {
                    throw;
                }

                from = now;
                listed = await target.FindAsync(step.Name, options.SymbolicLinks, cancellationToken).ConfigureAwait(false);
                if (listed is not null && await SyncComparison
                    .IsSameAsync(source, from, target, listed, options, dates: null, cancellationToken).ConfigureAwait(false))
                {
                    return null;
                }
            }
        }
    }

    /// <summary>A renamed file keeps its date, and that of the source may be another one.</summary>
    private async ValueTask SetTimeOfRenamedAsync(SyncStep step, CancellationToken cancellationToken)
    {
        FileTime wanted = step.Source!.Modified;
        if (!options.NoTimes
            && !LocalTime.Agree(wanted, step.Target!.Modified)
            && await target.FindAsync(step.Name, links: false, cancellationToken).ConfigureAwait(false) is { } renamed
            && renamed.Length == step.Length
            && !LocalTime.Agree(wanted, renamed.Modified))
        {
            await target.SetTimeAsync(renamed, wanted, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Removes the folders that have nothing any more, and gives files whose content is that of the source its date: after all steps.
    /// </summary>
    /// <param name="plan">The plan.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task FinishAsync(SyncPlan plan, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(plan);
        await Parallel.ForEachAsync(
            plan.Dates,
            new ParallelOptions { MaxDegreeOfParallelism = options.FilesAtOnce, CancellationToken = cancellationToken },
            (date, token) => target.SetTimeAsync(date.Entry, date.Modified, token)).ConfigureAwait(false);

        foreach (TransferName folder in plan.Emptied)
        {
            await target.RemoveEmptyAsync(folder, cancellationToken).ConfigureAwait(false);
        }
    }

    private async Task<TransferResult> TransferAsync(
        SyncEntry from, SyncEntry? listed, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        if (from.LinkTarget is not null)
        {
            await target.LinkAsync(from, listed, cancellationToken).ConfigureAwait(false);
            return new TransferResult(from.Name, 0, null, null, default, 0, 1);
        }

        if (listed?.LinkTarget is not null)
        {
            // A file is not written through it.
            await target.RemoveAsync(listed, cancellationToken).ConfigureAwait(false);
            listed = null;
        }

        if (target is SyncFolderOnServer server)
        {
            return await server.Client.PutAsync(
                ((SyncFolderHere)source).PathOf(from.Name),
                server.NameOf(from.Name),
                new PutOptions { Precondition = SyncFolderOnServer.ConditionOf(listed), NoTimes = options.NoTimes, Permissions = options.Permissions, Resume = true },
                progress,
                cancellationToken).ConfigureAwait(false);
        }

        var here = (SyncFolderHere)target;
        here.ThrowIfChanged(from.Name, listed);
        string path = options.SymbolicLinks ? here.PrepareWithoutLinks(from.Name, replace: listed is not null) : here.Prepare(from.Name);
        if (source is SyncFolderOnServer remote)
        {
            return await remote.Client.GetAsync(
                remote.NameOf(from.Name),
                path,
                new GetOptions { Length = from.Length, CreateNew = listed is null, NoTimes = options.NoTimes, Permissions = options.Permissions, Resume = true },
                progress,
                cancellationToken).ConfigureAwait(false);
        }

        CopyResult copied = await FilePipe.CopyAsync(
            ((SyncFolderHere)source).PathOf(from.Name),
            path,
            new FileCopyOptions { CreateNew = listed is null, PreserveTimes = !options.NoTimes, PreserveMode = true },
            progress: null,
            cancellationToken).ConfigureAwait(false);
        return new TransferResult(from.Name, copied.Length, null, null, default, copied.CopiedBytes, 1);
    }
}

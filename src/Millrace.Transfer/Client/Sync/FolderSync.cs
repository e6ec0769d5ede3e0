namespace Millrace.Transfer;

/// <summary>
/// Makes one folder like another: one way, each file whole or not at all, and only files that differ. At least one of the two is here.
/// </summary>
/// <remarks>
/// Both are listed in the order of names and compared as they come, so that only differences take memory. Every change of the target is
/// made on the condition that the file there is still the one that was compared; if it is not, that file is compared again.
/// Not thread-safe.
/// </remarks>
/// <param name="source">The folder that stays as it is.</param>
/// <param name="target">The folder that changes.</param>
/// <param name="options">How.</param>
public sealed class FolderSync(SyncFolder source, SyncFolder target, SyncOptions options)
{
    /// <summary>How often a file that others change meanwhile is compared again.</summary>
    private const int MaxComparisons = 3;

    /// <summary>Compares the two folders, and changes nothing.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">
    /// A server refused the listing; or <see cref="TransferError.InvalidRequest"/>: more would be removed than the options allow.
    /// </exception>
    public async Task<SyncPlan> PlanAsync(CancellationToken cancellationToken = default)
    {
        if (source is SyncFolderOnServer && target is SyncFolderOnServer)
        {
            throw new TransferException(TransferError.InvalidRequest, "One of the two folders has to be here. Get the files first, then put them.");
        }

        var faults = new List<SyncFault>();
        var adds = new List<SyncStep>();
        var replaces = new List<SyncStep>();
        var extras = new List<SyncEntry>();
        var dates = new List<(TransferName, FileTime)>();
        int unchanged = 0;
        int sources = 0;
        int targets = 0;
        IAsyncEnumerator<SyncEntry> here = InOrder(source.ListAsync(faults.Add, cancellationToken), except: null).GetAsyncEnumerator(cancellationToken);
        await using var _ = here.ConfigureAwait(false);
        IAsyncEnumerator<SyncEntry> there = InOrder(target.ListAsync(IgnoreFault, cancellationToken), options.BackupFolder is { } backup ? target.Below(backup) : null).GetAsyncEnumerator(cancellationToken);
        await using var __ = there.ConfigureAwait(false);
        SyncEntry? left = await NextAsync(here).ConfigureAwait(false);
        SyncEntry? right = await NextAsync(there).ConfigureAwait(false);
        while (left is not null || right is not null)
        {
            int order = left is null ? 1 : right is null ? -1 : left.Name.CompareTo(right.Name);
            if (order < 0)
            {
                adds.Add(new SyncStep(SyncAction.Add, left, null));
            }
            else if (order > 0)
            {
                extras.Add(right!);
            }
            else if (await IsSameAsync(left!, right!, dates, cancellationToken).ConfigureAwait(false))
            {
                unchanged++;
            }
            else
            {
                replaces.Add(new SyncStep(SyncAction.Replace, left, right));
            }

            if (order <= 0)
            {
                sources++;
                left = await NextAsync(here).ConfigureAwait(false);
            }

            if (order >= 0)
            {
                targets++;
                right = await NextAsync(there).ConfigureAwait(false);
            }
        }

        if (!options.Delete || extras.Count == 0)
        {
            return new SyncPlan([.. adds, .. replaces], faults, unchanged, []) { Dates = dates };
        }

        // A file in whose place there is to be a folder, and the other way round, is removed first.
        HashSet<TransferName> names = [.. adds.Select(static step => step.Name)];
        HashSet<TransferName> folders = [.. names.SelectMany(FoldersOf)];
        ILookup<bool, SyncEntry> inTheWay = extras.ToLookup(extra => folders.Contains(extra.Name) || FoldersOf(extra.Name).Any(names.Contains));
        List<SyncEntry> others = [.. inTheWay[false]];
        List<SyncStep> renames = await FindRenamesAsync(adds, others, cancellationToken).ConfigureAwait(false);
        ThrowIfTooMany(extras.Count - renames.Count, targets, sources, faults);
        IEnumerable<SyncStep> first = inTheWay[true].Select(static extra => new SyncStep(SyncAction.Remove, null, extra) { IsInTheWay = true });
        IEnumerable<SyncStep> last = others.Select(static extra => new SyncStep(SyncAction.Remove, null, extra));
        return new SyncPlan(
            [.. first, .. renames, .. adds, .. replaces, .. last],
            faults,
            unchanged,
            [.. extras.SelectMany(static extra => FoldersOf(extra.Name))
                .Where(folder => !folders.Contains(folder) && !names.Contains(folder)).Distinct().OrderDescending()])
        {
            Dates = dates,
        };
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

        // Those in the way, renames, transfers, other removals: each phase after the one before it.
        int at = 0;
        while (at < plan.Steps.Count)
        {
            int end = at;
            bool moves = IsTransfer(plan.Steps[at]);
            while (end < plan.Steps.Count && IsTransfer(plan.Steps[end]) == moves && (moves || plan.Steps[end].Action == plan.Steps[at].Action))
            {
                end++;
            }

            await Parallel.ForEachAsync(
                plan.Steps.Skip(at).Take(end - at),
                new ParallelOptions { MaxDegreeOfParallelism = options.FilesAtOnce, CancellationToken = cancellationToken },
                async (step, token) =>
                {
                    Exception? error = null;
                    try
                    {
                        await RunAsync(step, null, token).ConfigureAwait(false);
                    }
                    catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                    {
                        error = exception;
                        Interlocked.Increment(ref failed);
                    }

                    progress?.Report((step, error));
                }).ConfigureAwait(false);
            at = end;
        }

        await FinishAsync(plan, cancellationToken).ConfigureAwait(false);
        return failed;
    }

    /// <summary>Does one step, which others may wait for: see the order of <see cref="SyncPlan.Steps"/>.</summary>
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

    private async Task<TransferResult?> TryAsync(SyncStep step, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        switch (step.Action)
        {
            case SyncAction.Rename:
                await target.MoveAsync(step.Target!, step.Name, cancellationToken).ConfigureAwait(false);
                return null;
            case SyncAction.Remove:
                await (options.BackupFolder is { } backup
                    ? target.KeepAsync(step.Target!, backup, cancellationToken)
                    : target.RemoveAsync(step.Target!, cancellationToken)).ConfigureAwait(false);
                foreach (TransferName folder in step.IsInTheWay ? FoldersOf(step.Name) : [])
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
            catch (TransferException exception) when (i < MaxComparisons
                && exception.Error is TransferError.PreconditionFailed or TransferError.AlreadyExists or TransferError.Changed)
            {
                // Another program changed a file: look at both sides again.
                if (await source.FindAsync(step.Name, cancellationToken).ConfigureAwait(false) is not { } now)
                {
                    throw;
                }

                from = now;
                listed = await target.FindAsync(step.Name, cancellationToken).ConfigureAwait(false);
                if (listed is not null && await IsSameAsync(from, listed, dates: null, cancellationToken).ConfigureAwait(false))
                {
                    return null;
                }
            }
        }
    }

    /// <summary>
    /// Removes the folders that have nothing any more, and gives files here whose content is that of the source its date: after all steps.
    /// </summary>
    /// <param name="plan">The plan.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task FinishAsync(SyncPlan plan, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(plan);
        foreach ((TransferName name, FileTime modified) in plan.Dates)
        {
            target.SetTime(name, modified);
        }

        foreach (TransferName folder in plan.Emptied)
        {
            await target.RemoveEmptyAsync(folder, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>The folders that a name is in, the innermost one first.</summary>
    private static IEnumerable<TransferName> FoldersOf(TransferName name)
    {
        for (TransferName folder = name.Folder; !folder.IsRoot; folder = folder.Folder)
        {
            yield return folder;
        }
    }

    private static bool IsTransfer(SyncStep step) => step.Action is SyncAction.Add or SyncAction.Replace;

    private static void IgnoreFault(SyncFault fault)
    {
        // Files that the target cannot show are not touched.
    }

    private async Task<TransferResult> TransferAsync(
        SyncEntry from, SyncEntry? listed, IProgress<TransferProgress>? progress, CancellationToken cancellationToken)
    {
        if (target is SyncFolderOnServer server)
        {
            return await server.Client.PutAsync(
                ((SyncFolderHere)source).PathOf(from.Name),
                server.NameOf(from.Name),
                new PutOptions { Precondition = SyncFolderOnServer.ConditionOf(listed), NoTimes = options.NoTimes, Resume = true },
                progress,
                cancellationToken).ConfigureAwait(false);
        }

        var here = (SyncFolderHere)target;
        here.ThrowIfChanged(from.Name, listed);
        string path = here.Prepare(from.Name);
        if (source is SyncFolderOnServer remote)
        {
            return await remote.Client.GetAsync(
                remote.NameOf(from.Name),
                path,
                new GetOptions { CreateNew = listed is null, NoTimes = options.NoTimes, Resume = true },
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

    /// <param name="left">A file of the source.</param>
    /// <param name="right">The file of this name in the target.</param>
    /// <param name="dates">Receives the date that the target's file gets later; null to give it at once.</param>
    /// <param name="cancellationToken">Ends it.</param>
    private async ValueTask<bool> IsSameAsync(
        SyncEntry left, SyncEntry right, List<(TransferName, FileTime)>? dates, CancellationToken cancellationToken)
    {
        if (left.Length != right.Length)
        {
            return false;
        }

        if (!options.BySha256 && LocalTime.Agree(left.Modified, right.Modified))
        {
            return true;
        }

        // A bucket lists no dates of files.
        if (!options.BySha256 && left.Sha256 is null && right.Sha256 is null)
        {
            left = source is SyncFolderOnServer ? await source.FindAsync(left.Name, cancellationToken).ConfigureAwait(false) ?? left : left;
            right = target is SyncFolderOnServer ? await target.FindAsync(right.Name, cancellationToken).ConfigureAwait(false) ?? right : right;
            if (left.Length == right.Length && LocalTime.Agree(left.Modified, right.Modified))
            {
                return true;
            }
        }

        try
        {
            if (await source.HashAsync(left, cancellationToken).ConfigureAwait(false) is not { } digest
                || await target.HashAsync(right, cancellationToken).ConfigureAwait(false) != digest)
            {
                return false;
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            // Its transfer reports the error, and the others go on.
            return false;
        }

        if (options.NoTimes || target is SyncFolderOnServer)
        {
            return true;
        }

        if (dates is null)
        {
            target.SetTime(right.Name, left.Modified);
        }
        else
        {
            dates.Add((right.Name, left.Modified));
        }

        return true;
    }

    /// <summary>Finds files of the target that the source has under another name, and takes them off the lists of additions and removals.</summary>
    private async ValueTask<List<SyncStep>> FindRenamesAsync(
        List<SyncStep> adds, List<SyncEntry> extras, CancellationToken cancellationToken)
    {
        var renames = new List<SyncStep>();
        var byLength = new Dictionary<long, List<SyncEntry>>();
        foreach (SyncEntry extra in extras.Where(static extra => extra.Length > 0))
        {
            (byLength.TryGetValue(extra.Length, out List<SyncEntry>? same) ? same : byLength[extra.Length] = []).Add(extra);
        }

        var digests = new Dictionary<TransferName, Sha256Digest?>();
        var renamed = new HashSet<SyncStep>();
        foreach (SyncStep add in adds)
        {
            if (!byLength.TryGetValue(add.Length, out List<SyncEntry>? same) || same.Count == 0)
            {
                continue;
            }

            Sha256Digest? wanted;
            try
            {
                wanted = await source.HashAsync(add.Source!, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                // Its transfer reports the error.
                continue;
            }

            foreach (SyncEntry extra in same)
            {
                if (!digests.TryGetValue(extra.Name, out Sha256Digest? digest))
                {
                    digests[extra.Name] = digest = await target.HashAsync(extra, cancellationToken).ConfigureAwait(false);
                }

                if (wanted is not null && digest == wanted)
                {
                    renames.Add(new SyncStep(SyncAction.Rename, add.Source, extra));
                    renamed.Add(add);
                    same.Remove(extra);
                    break;
                }
            }
        }

        if (renames.Count > 0)
        {
            adds.RemoveAll(renamed.Contains);
            var gone = renames.Select(static step => step.From).ToHashSet();
            extras.RemoveAll(extra => gone.Contains(extra.Name));
        }

        return renames;
    }

    private void ThrowIfTooMany(int removed, int targets, int sources, List<SyncFault> faults)
    {
        if (options.Force || removed == 0)
        {
            return;
        }

        string? why = sources == 0 ? "the source has no file"
            : faults.Find(static fault => fault.HidesFiles) is { } hidden ? $"'{hidden.Where}' of the source could not be read"
            : removed > (options.MaxDelete ?? (long)(options.MaxDeleteShare * targets))
                ? $"{removed} of the target's {targets} files would be removed, and {options.MaxDelete ?? (long)(options.MaxDeleteShare * targets)} may be"
            : null;
        if (why is not null)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"Nothing was changed, because {why}. Look at the plan; force it if it is what you want.");
        }
    }

    private async IAsyncEnumerable<SyncEntry> InOrder(IAsyncEnumerable<SyncEntry> entries, TransferName? except)
    {
        TransferName last = default;
        await foreach (SyncEntry entry in entries.ConfigureAwait(false))
        {
            if (!last.IsRoot && entry.Name.CompareTo(last) <= 0)
            {
                throw new TransferException(
                    TransferError.Protocol, $"'{entry.Name}' is listed after '{last}': the folder is not listed in order, and cannot be compared.");
            }

            last = entry.Name;
            if (!(except is { } kept && entry.Name.IsIn(kept)) && options.Filter?.Invoke(entry.Name) is not false)
            {
                yield return entry;
            }
        }
    }

    private static async ValueTask<SyncEntry?> NextAsync(IAsyncEnumerator<SyncEntry> entries) =>
        await entries.MoveNextAsync().ConfigureAwait(false) ? entries.Current : null;
}

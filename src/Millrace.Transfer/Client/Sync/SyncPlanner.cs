using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <summary>
/// Compares two folders and decides on the steps that make them alike; for one plan. Both are listed in the order of names and compared as
/// they come, so that only differences take memory.
/// </summary>
internal sealed class SyncPlanner(SyncFolder source, SyncFolder target, SyncOptions options)
{
    private readonly List<SyncFault> _faults = [];
    private readonly SyncStepList _adds = new();
    private readonly SyncStepList _replaces = new();
    private readonly SyncStepList _extras = new();
    private readonly List<(SyncEntry, FileTime)> _dates = [];
    private readonly TransferName? _kept = options.BackupFolder is { } backup ? target.Below(backup) : null;
    private int _unchanged;
    private int _sources;
    private int _targets;

    /// <summary>Compares all files.</summary>
    public async Task<SyncPlan> PlanAsync(CancellationToken cancellationToken)
    {
        await CompareAsync(source.ListAsync(options.SymbolicLinks, _faults.Add, cancellationToken), target.ListAsync(options.SymbolicLinks, IgnoreFault, cancellationToken), cancellationToken)
            .ConfigureAwait(false);
        return await FinishAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Compares some files and folders.</summary>
    /// <param name="names">Their names; none is in another one.</param>
    /// <param name="targets">How many files the target has.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public async Task<SyncPlan> PlanAsync(IEnumerable<TransferName> names, int targets, CancellationToken cancellationToken)
    {
        // Not all at once: the files of a folder are not next to a file of its name in the order of names.
        foreach (TransferName name in names)
        {
            await CompareAsync(
                source.ListAsync(name, options.SymbolicLinks, _faults.Add, cancellationToken),
                target.ListAsync(name, options.SymbolicLinks, IgnoreFault, cancellationToken),
                cancellationToken)
                .ConfigureAwait(false);
        }

        _targets = Math.Max(targets, _targets);
        if (_sources == 0 && _extras.Count > 0)
        {
            IAsyncEnumerator<SyncEntry> all = source.ListAsync(options.SymbolicLinks, IgnoreFault, cancellationToken).GetAsyncEnumerator(cancellationToken);
            await using ConfiguredAsyncDisposable _ = all.ConfigureAwait(false);
            _sources = await all.MoveNextAsync().ConfigureAwait(false) ? 1 : 0;
        }

        return await FinishAsync(cancellationToken).ConfigureAwait(false);
    }

    private async Task CompareAsync(IAsyncEnumerable<SyncEntry> sources, IAsyncEnumerable<SyncEntry> targets, CancellationToken cancellationToken)
    {
        IAsyncEnumerator<SyncEntry> here = InOrder(sources, except: null).GetAsyncEnumerator(cancellationToken);
        await using ConfiguredAsyncDisposable _ = here.ConfigureAwait(false);
        IAsyncEnumerator<SyncEntry> there = InOrder(targets, _kept).GetAsyncEnumerator(cancellationToken);
        await using ConfiguredAsyncDisposable __ = there.ConfigureAwait(false);
        SyncEntry? left = await NextAsync(here).ConfigureAwait(false);
        if (left is null && !options.Delete)
        {
            return;
        }

        SyncEntry? right = await NextAsync(there).ConfigureAwait(false);
        while (left is not null || right is not null)
        {
            int order = left is null ? 1 : right is null ? -1 : left.Name.CompareTo(right.Name);
            if (order < 0)
            {
                _adds.Add(new SyncStep(SyncAction.Add, left, null));
                ExpectHashes(source);
            }
            else if (order > 0)
            {
                if (options.Delete)
                {
                    _extras.Add(new SyncStep(SyncAction.Remove, null, right));
                }

                ExpectHashes(target);
            }
            else if (await SyncComparison.IsSameAsync(source, left!, target, right!, options, _dates, cancellationToken).ConfigureAwait(false))
            {
                _unchanged++;
            }
            else
            {
                _replaces.Add(new SyncStep(SyncAction.Replace, left, right));
            }

            if (order <= 0)
            {
                _sources++;
                left = await NextAsync(here).ConfigureAwait(false);
            }

            if (order >= 0)
            {
                _targets++;
                right = await NextAsync(there).ConfigureAwait(false);
            }
        }
    }

    /// <summary>A file that one side does not have may have another name there.</summary>
    private void ExpectHashes(SyncFolder folder)
    {
        if (options.Delete)
        {
            folder.ExpectHashes();
        }
    }

    private async ValueTask<SyncPlan> FinishAsync(CancellationToken cancellationToken)
    {
        if (_extras.Count == 0)
        {
            return Plan([Transfers(_adds)], []);
        }

        // Sets of folders, not of files, of which there may be millions.
        HashSet<TransferName> left = FoldersOf(_extras);
        HashSet<TransferName> folders = FoldersOf(_adds);
        HashSet<TransferName> becomeFiles = [.. _adds.Select(static step => step.Name).Where(left.Contains)];

        // A file in whose place there is to be a folder, and the other way round, is removed first.
        bool IsInTheWay(SyncStep extra) => folders.Contains(extra.Name) || (becomeFiles.Count > 0 && extra.Name.Folders().Any(becomeFiles.Contains));
        var first = new SyncStepList();
        var last = new SyncStepList();
        foreach (SyncStep extra in _extras)
        {
            if (IsInTheWay(extra))
            {
                first.Add(extra with { IsInTheWay = true });
            }
            else
            {
                last.Add(extra);
            }
        }

        SyncStepList renames = await FindRenamesAsync(_adds, last, cancellationToken).ConfigureAwait(false);
        ThrowIfTooMany(_extras.Count - renames.Count);
        SyncStepList adds = _adds;
        if (renames.Count > 0)
        {
            HashSet<TransferName> renamed = [.. renames.Select(static step => step.Name)];
            HashSet<TransferName> gone = [.. renames.Select(static step => step.From)];
            adds = adds.Where(step => !renamed.Contains(step.Name));
            last = last.Where(step => !gone.Contains(step.Name));
        }

        return Plan(
            [first, renames, Transfers(adds), last],
            [.. left.Where(folder => !folders.Contains(folder) && !becomeFiles.Contains(folder)).OrderDescending()]);
    }

    private SyncPlan Plan(SyncStepList[] phases, IReadOnlyList<TransferName> emptied) =>
        new(phases, _faults, _unchanged, emptied) { Dates = _dates, Targets = _targets };

    private SyncStepList Transfers(SyncStepList adds)
    {
        foreach (SyncStep replace in _replaces)
        {
            adds.Add(replace);
        }

        return adds;
    }

    /// <summary>All folders that the files of steps are in.</summary>
    private static HashSet<TransferName> FoldersOf(SyncStepList steps)
    {
        var folders = new HashSet<TransferName>();
        foreach (SyncStep step in steps)
        {
            foreach (TransferName folder in step.Name.Folders())
            {
                // Then those around it are there, too.
                if (!folders.Add(folder))
                {
                    break;
                }
            }
        }

        return folders;
    }

    /// <summary>Finds files of the target that the source has under another name.</summary>
    private async ValueTask<SyncStepList> FindRenamesAsync(SyncStepList adds, SyncStepList extras, CancellationToken cancellationToken)
    {
        var renames = new SyncStepList();
        HashSet<long> lengths = [.. adds.Select(static add => add.Length)];
        var byLength = new Dictionary<long, List<SyncEntry>>();
        foreach (SyncStep extra in extras.Where(extra => extra.Length > 0 && lengths.Contains(extra.Length)))
        {
            (byLength.TryGetValue(extra.Length, out List<SyncEntry>? same) ? same : byLength[extra.Length] = []).Add(extra.Target!);
        }

        if (byLength.Count == 0)
        {
            return renames;
        }

        var byDigest = new Dictionary<Sha256Digest, Queue<SyncEntry>>();
        foreach (SyncStep add in adds)
        {
            if (!byLength.TryGetValue(add.Length, out List<SyncEntry>? same))
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
                if (await target.HashAsync(extra, cancellationToken).ConfigureAwait(false) is { } digest)
                {
                    (byDigest.TryGetValue(digest, out Queue<SyncEntry>? equal) ? equal : byDigest[digest] = new()).Enqueue(extra);
                }
            }

            same.Clear();
            if (wanted is { } key && byDigest.TryGetValue(key, out Queue<SyncEntry>? found) && found.TryDequeue(out SyncEntry? from))
            {
                renames.Add(new SyncStep(SyncAction.Rename, add.Source, from));
            }
        }

        return renames;
    }

    private void ThrowIfTooMany(int removed)
    {
        if (options.Force || removed == 0)
        {
            return;
        }

        string? why = _sources == 0 ? "the source has no file"
            : _faults.Find(static fault => fault.HidesFiles) is { } hidden ? $"'{hidden.Where}' of the source could not be read"
            : removed > (options.MaxDelete ?? (long)(options.MaxDeleteShare * _targets))
                ? $"{removed} of the target's {_targets} files would be removed, and {options.MaxDelete ?? (long)(options.MaxDeleteShare * _targets)} may be"
            : null;
        if (why is not null)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"Nothing was changed, because {why}. Look at the plan; force it if it is what you want.");
        }
    }

    private static void IgnoreFault(SyncFault fault)
    {
        // Files that the target cannot show are not touched.
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

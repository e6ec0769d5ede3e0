namespace Millrace.Transfer;

/// <summary>Decides whether both folders of a sync have the same file.</summary>
internal static class SyncComparison
{
    /// <param name="source">The folder that stays as it is.</param>
    /// <param name="left">A file of the source.</param>
    /// <param name="target">The folder that changes.</param>
    /// <param name="right">The file of this name in the target.</param>
    /// <param name="options">How.</param>
    /// <param name="dates">Receives the date that the target's file gets later; null to give it at once.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async ValueTask<bool> IsSameAsync(
        SyncFolder source,
        SyncEntry left,
        SyncFolder target,
        SyncEntry right,
        SyncOptions options,
        List<(SyncEntry, FileTime)>? dates,
        CancellationToken cancellationToken) =>
        await HasSameContentAsync(source, left, target, right, options, dates, cancellationToken).ConfigureAwait(false)
        && (!options.Permissions || left.LinkTarget is not null || await HasSamePermissionsAsync(source, left, target, right, cancellationToken).ConfigureAwait(false));

    private static async ValueTask<bool> HasSamePermissionsAsync(
        SyncFolder source, SyncEntry left, SyncFolder target, SyncEntry right, CancellationToken cancellationToken)
    {
        // The side that is here first: it costs no request.
        (SyncFolder first, SyncEntry one, SyncFolder second, SyncEntry two) = source is SyncFolderHere
            ? (source, left, target, right)
            : (target, right, source, left);
        bool? isExecutable = await first.IsExecutableAsync(one, other: null, cancellationToken).ConfigureAwait(false);
        return isExecutable is null
            || await second.IsExecutableAsync(two, isExecutable, cancellationToken).ConfigureAwait(false) == isExecutable;
    }

    private static async ValueTask<bool> HasSameContentAsync(
        SyncFolder source,
        SyncEntry left,
        SyncFolder target,
        SyncEntry right,
        SyncOptions options,
        List<(SyncEntry, FileTime)>? dates,
        CancellationToken cancellationToken)
    {
        if (left.LinkTarget is not null || right.LinkTarget is not null)
        {
            return left.LinkTarget == right.LinkTarget;
        }

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
            left = source is SyncFolderOnServer ? await source.FindAsync(left.Name, links: false, cancellationToken).ConfigureAwait(false) ?? left : left;
            right = target is SyncFolderOnServer ? await target.FindAsync(right.Name, links: false, cancellationToken).ConfigureAwait(false) ?? right : right;
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

        if (options.NoTimes)
        {
            return true;
        }

        if (dates is null)
        {
            await target.SetTimeAsync(right, left.Modified, cancellationToken).ConfigureAwait(false);
        }
        else
        {
            dates.Add((right, left.Modified));
        }

        return true;
    }
}

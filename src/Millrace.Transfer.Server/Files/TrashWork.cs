using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>Listing the trash, restoring its entries and deleting them for good, the same for HTTP and gRPC.</summary>
internal static class TrashWork
{
    /// <summary>The trash of a store.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: it keeps none.</exception>
    public static IFileTrash Of(IFileStore store) => store.Trash ?? throw new TransferException(
        TransferError.NotFound, "This server keeps no deleted files. Its owner can change that.");

    /// <summary>A number of seconds of a request: how long ago entries were deleted at least.</summary>
    public static TimeSpan Age(long seconds) => seconds >= 0 && seconds <= (long)TimeSpan.FromDays(36500).TotalSeconds
        ? TimeSpan.FromSeconds(seconds)
        : throw Errors.Invalid("'older' is a number of seconds.");

    /// <summary>Pages of entries; the caller is checked before the first one.</summary>
    public static async IAsyncEnumerable<TrashPage> ListAsync(
        HttpContext context, IFileStore store, ListTrashOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        _ = Of(store);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(context, store, TransferOperation.ListTrash, options.Prefix);
        TrashPage page;
        do
        {
            page = await pass.Store.Trash!.ListAsync(options, cancellationToken);
            yield return page;
            options = options with { After = page.Next };
        }
        while (page.Next is not null);
    }

    /// <summary>Gives an entry a name again, for a caller that may change both names.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">The store, for every caller the same.</param>
    /// <param name="id">The entry.</param>
    /// <param name="name">The new name; <c>default</c> for the one that it had.</param>
    /// <param name="cancellationToken">Until it begins to be moved.</param>
    /// <returns>The name that it has now.</returns>
    public static async ValueTask<TransferName> RestoreAsync(
        HttpContext context, IFileStore store, string id, TransferName name, CancellationToken cancellationToken)
    {
        TrashEntry? entry = await FindAsync(context, store, id, cancellationToken);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, TransferOperation.Restore, entry?.Name ?? default, name.IsRoot ? null : name);
        return entry is null ? throw TrashRules.NotFound(id) : await pass.Store.Trash!.RestoreAsync(id, name, cancellationToken);
    }

    /// <summary>Deletes an entry for good.</summary>
    public static async ValueTask DeleteAsync(HttpContext context, IFileStore store, string id, CancellationToken cancellationToken)
    {
        TrashEntry? entry = await FindAsync(context, store, id, cancellationToken);
        using TransferPass pass = await TransferGuard.Of(context).EnterAsync(
            context, store, TransferOperation.Delete, entry?.Name ?? default);
        if (entry is null || !await pass.Store.Trash!.DeleteAsync(id, cancellationToken))
        {
            throw TrashRules.NotFound(id);
        }
    }

    /// <summary>Deletes the entries of a folder, or the older ones, for good.</summary>
    /// <returns>How many.</returns>
    public static async ValueTask<int> EmptyAsync(
        HttpContext context, IFileStore store, TransferName prefix, TimeSpan? older, CancellationToken cancellationToken)
    {
        _ = Of(store);
        TransferGuard guard = TransferGuard.Of(context);
        using TransferPass pass = await guard.EnterAsync(context, store, TransferOperation.EmptyTrash, prefix);
        IFileTrash trash = pass.Store.Trash!;
        DateTimeOffset end = older is { } age ? guard.Now - age : DateTimeOffset.MaxValue;
        int deleted = 0;
        string? after = null;
        do
        {
            TrashPage page = await trash.ListAsync(new ListTrashOptions { Prefix = prefix, After = after }, cancellationToken);
            foreach (TrashEntry entry in page.Entries.Where(entry => entry.Deleted <= end))
            {
                deleted += await trash.DeleteAsync(entry.Id, cancellationToken) ? 1 : 0;
            }

            after = page.Next;
        }
        while (after is not null);
        return deleted;
    }

    /// <summary>An unknown sender must not cause requests to a bucket.</summary>
    private static async ValueTask<TrashEntry?> FindAsync(
        HttpContext context, IFileStore store, string id, CancellationToken cancellationToken)
    {
        IFileTrash trash = Of(store);
        return await TransferGuard.Of(context).CanQueryStatusAsync(context, store) ? await trash.FindAsync(id, cancellationToken) : null;
    }
}

using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>A store's locks and properties. One for each store, whatever part of it a caller may use. Thread-safe.</summary>
internal sealed class StoreState
{
    private static readonly ConditionalWeakTable<IStoreDocuments, StoreState> All = [];

    private StoreState(IStoreDocuments documents)
    {
        Locks = new WriteLocks(documents);
        Properties = new DeadProperties(documents);
    }

    public WriteLocks Locks { get; }

    public DeadProperties Properties { get; }

    /// <returns>Null for a store that keeps neither.</returns>
    public static StoreState? Of(IFileStore store) =>
        store.Documents is { } documents ? All.GetValue(documents, static found => new StoreState(found)) : null;

    /// <summary>Removes expired locks, and the files that they made if these are still empty.</summary>
    /// <param name="store">All of the store.</param>
    /// <param name="now">The time.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async ValueTask SweepAsync(IFileStore store, DateTimeOffset now, CancellationToken cancellationToken)
    {
        // Another server may have refreshed a lock within the last second, so the locks are read again if they are shared.
        WriteLock[] expired = [];
        await Locks.ChangeAsync(
            index =>
            {
                expired = [.. index.All.Where(one => one.Expires <= now)];
                return null;
            },
            cancellationToken);
        foreach (WriteLock one in expired.Where(static one => one.MadeTag is not null))
        {
            await TryDeleteAsync(store, one);
        }

        await Locks.ChangeAsync(
            index => index.NextExpiry <= now ? index.All.Where(one => one.Expires > now) : null, cancellationToken);
    }

    /// <summary>Deletes the file that a lock made, if nothing was written to it.</summary>
    /// <param name="store">All of the store.</param>
    /// <param name="made">The lock.</param>
    public async ValueTask TryDeleteAsync(IFileStore store, WriteLock made)
    {
        TransferName name = made.Root;
        try
        {
            if (await store.FindAsync(name, DigestNeed.IfKnown, CancellationToken.None) is { } file
                && (made.MadeTime is null || file.Modified.ToString() == made.MadeTime)
                && await store.WithoutTrash().DeleteAsync(name, new WritePrecondition { Match = [new EntityTag(made.MadeTag!)] }, CancellationToken.None))
            {
                await Properties.DeletedAsync(name);
            }
        }
        catch (TransferException)
        {
            // The file was written to, moved or deleted meanwhile.
        }
    }
}

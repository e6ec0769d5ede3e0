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
        WriteLocks.Index locks = await Locks.LookAsync(cancellationToken);
        foreach (WriteLock expired in locks.All.Where(one => one.Expires <= now))
        {
            if (expired.MadeTag is { } tag)
            {
                await TryDeleteAsync(store, expired.Root, new EntityTag(tag));
            }
        }

        await Locks.ChangeAsync(
            index => index.NextExpiry <= now ? index.All.Where(one => one.Expires > now) : null, cancellationToken);
    }

    private async ValueTask TryDeleteAsync(IFileStore store, TransferName name, EntityTag tag)
    {
        try
        {
            if (await store.DeleteAsync(name, new WritePrecondition { Match = [tag] }, CancellationToken.None))
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

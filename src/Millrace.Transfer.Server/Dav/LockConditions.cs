using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>Checks the field If of a request, and the locks of others, before the request is processed.</summary>
internal static class LockConditions
{
    /// <summary>Reads and checks the field.</summary>
    /// <param name="context">The request.</param>
    /// <param name="store">The store as the caller may use it.</param>
    /// <param name="prefix">The names that the caller may use; conditions about others do not hold.</param>
    /// <param name="name">What lists without a resource are about.</param>
    /// <param name="now">The time.</param>
    /// <returns>Null without the field.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.InvalidRequest"/>, or <see cref="TransferError.PreconditionFailed"/>: none of its lists holds.
    /// </exception>
    public static ValueTask<IfHeader?> ReadAsync(HttpContext context, IFileStore store, TransferName prefix, TransferName name, DateTimeOffset now) =>
        context.Request.Headers.TryGetValue(IfHeader.Field, out StringValues field) && field.Count > 0
            ? context.Features.Get<IfHeader>() is { } known ? new(known) : CheckAsync(context, store, prefix, name, IfHeader.Parse(field.ToString()), now)
            : default;

    /// <summary>Refuses a name that another caller has locked, before a file is sent in vain. Publishing checks it again.</summary>
    public static async ValueTask ThrowIfLockedAsync(
        HttpContext context, IFileStore store, StoreState state, TransferOperation operation, TransferName name, string? owner,
        IfHeader? conditions, DateTimeOffset now)
    {
        WriteLocks.Index locks = await state.Locks.LookAsync(context.RequestAborted);
        if (locks.NextExpiry <= now)
        {
            await state.SweepAsync(store, now, context.RequestAborted);
            locks = await state.Locks.LookAsync(context.RequestAborted);
        }

        if (operation.IsChange && !operation.ChecksLocks && !name.IsRoot
            && LockCheck.FindConflict(locks, name, LockUse.Content, owner, conditions?.Tokens ?? [], now) is { } held)
        {
            throw LockCheck.Locked(name, held, now, showsHolder: !LinkHandler.IsLink(context.User));
        }
    }

    private static async ValueTask<IfHeader?> CheckAsync(
        HttpContext context, IFileStore store, TransferName prefix, TransferName name, IfHeader header, DateTimeOffset now)
    {
        StoreState? state = StoreState.Of(store);
        bool hasLookedAgain = false;
        bool holds = await header.HoldsAsync(async (resource, wanted, isTag) =>
        {
            TransferName about = name;
            if (resource is not null && !TryFind(context, resource, out about))
            {
                return false;
            }

            if (!about.IsIn(prefix))
            {
                // Not for this caller to find out.
                return false;
            }

            return isTag
                ? !about.IsRoot && await store.FindAsync(about, DigestNeed.IfKnown, context.RequestAborted) is { } file
                    && file.Tag.ToString() == wanted
                : state is not null && (await IsHeldAsync(again: false)
                    || (!hasLookedAgain && await IsHeldAsync(again: hasLookedAgain = true)));

            // A client may send a lock's token to another server than the one that has just granted the lock.
            async ValueTask<bool> IsHeldAsync(bool again) => (await state.Locks.LookAsync(context.RequestAborted, again))
                .About(about).Any(one => one.Token == wanted && one.Expires > now);
        });
        if (holds)
        {
            // A request that needs more scopes for another name has its conditions checked once.
            context.Features.Set(header);
            return header;
        }

        throw new TransferException(
            TransferError.PreconditionFailed,
            $"The conditions of the field If for '{name}' do not hold: a lock has ended, or a file has another version. Look again, then decide.",
            name.Value);
    }

    private static bool TryFind(HttpContext context, string resource, out TransferName name)
    {
        name = default;
        try
        {
            name = Destination.Parse(context, resource, TransferGuard.Of(context).Options.PublicUrl, IfHeader.Field).Name;
            return true;
        }
        catch (TransferException)
        {
            return false;
        }
    }
}

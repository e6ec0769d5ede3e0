using System.Globalization;

namespace Millrace.Transfer.Server;

/// <summary>How a request changes a name, which decides what locks it needs (RFC 4918, section 7).</summary>
[Flags]
internal enum LockUse
{
    /// <summary>A file's content or properties.</summary>
    Content = 0,

    /// <summary>Whether its folder has the name.</summary>
    Membership = 1,

    /// <summary>Everything in a folder.</summary>
    Below = 2,
}

/// <summary>Whether the locks of others allow a request's change.</summary>
internal static class LockCheck
{
    /// <summary>Finds a lock that forbids a change.</summary>
    /// <param name="locks">All locks.</param>
    /// <param name="name">The name to change.</param>
    /// <param name="use">How it is changed.</param>
    /// <param name="owner">The caller's token or user; null for an anonymous one.</param>
    /// <param name="submitted">The lock tokens that the request names.</param>
    /// <param name="now">The time.</param>
    /// <returns>Null if there is none.</returns>
    public static WriteLock? FindConflict(
        WriteLocks.Index locks, TransferName name, LockUse use, string? owner, IReadOnlyCollection<string> submitted, DateTimeOffset now)
    {
        bool Holds(WriteLock one) =>
            one.Expires <= now
            || (submitted.Contains(one.Token) && string.Equals(one.Caller, owner, StringComparison.Ordinal));

        foreach (WriteLock one in Relevant(locks, name, use))
        {
            // A holder of one of several shared locks may write.
            if (!Holds(one)
                && !(one.IsShared && locks.Covering(one.Root).Any(other => other.IsShared && other.Expires > now && Holds(other))))
            {
                return one;
            }
        }

        return null;
    }

    /// <param name="name">The name to change.</param>
    /// <param name="held">The lock that forbids it.</param>
    /// <param name="now">The time.</param>
    /// <param name="showsHolder">Whether the caller may read what the lock's holder wrote about itself.</param>
    public static TransferException Locked(TransferName name, WriteLock held, DateTimeOffset now, bool showsHolder)
    {
        string who = showsHolder && held.Holder.Length > 0 ? $" by {held.Holder}" : "";
        string what = held.Name == name.Value
            ? $"'{name}' is locked{who}."
            : $"'{name}' is protected by the lock of '{(held.Name.Length == 0 ? "/" : held.Name)}'{(who.Length > 0 ? $", taken{who}" : "")}.";
        return new TransferException(
            TransferError.PreconditionFailed,
            string.Create(
                CultureInfo.InvariantCulture,
                $"{what} If the lock is not refreshed, it ends in {Math.Ceiling((held.Expires - now).TotalSeconds)} s. Try again then, or send its token in the field If."),
            held.Root.IsIn(name) ? held.Name : name.Value)
        {
            Status = StatusCodes.Status423Locked,
        };
    }

    private static IEnumerable<WriteLock> Relevant(WriteLocks.Index locks, TransferName name, LockUse use)
    {
        IEnumerable<WriteLock> all = locks.Covering(name);
        if (use.HasFlag(LockUse.Membership) && !name.IsRoot)
        {
            all = all.Concat(locks.At(name.Folder.Value).Where(static one => !one.IsDeep));
        }

        return use.HasFlag(LockUse.Below) ? all.Concat(locks.Below(name)) : all;
    }
}

using System.Diagnostics;

namespace Millrace.Transfer.S3;

/// <summary>Bytes of all files and uploads: counted in the bucket now and then, and in between what this server adds. Thread-safe.</summary>
/// <remarks>
/// Deleted bytes are not subtracted: a bucket does not report which of several requests, or servers, deleted an object, nor
/// whether this server has counted it. It is counted again before something is refused.
/// </remarks>
/// <param name="max">Null without a limit.</param>
internal sealed class Quota(long? max)
{
    /// <summary>How old a count may be when a write is refused because of it: other servers may have deleted something.</summary>
    private static readonly TimeSpan CountLasts = TimeSpan.FromSeconds(10);

    private readonly Lock _adding = new();
    private long _used;
    private long _receiving;
    private long _added;
    private long _countedAt;
    private bool _isCounted;
    private bool _hasDeleted;

    public bool IsLimited => max is not null;

    /// <summary>Remembers that something was deleted.</summary>
    public void Deleted() => Volatile.Write(ref _hasDeleted, true);

    /// <summary>Whether a count is needed before these bytes are accepted or refused.</summary>
    public bool NeedsCount(long coming)
    {
        if (max is not { } limit || !Volatile.Read(ref _isCounted))
        {
            return IsLimited;
        }

        return coming > limit - Interlocked.Read(ref _used)
            && (Volatile.Read(ref _hasDeleted) || Stopwatch.GetElapsedTime(Volatile.Read(ref _countedAt)) > CountLasts);
    }

    /// <summary>Replaces the known total by the bucket's.</summary>
    /// <remarks>Bytes that this server received until the end of the count may be in none of its lists.</remarks>
    public async ValueTask CountAsync(Func<ValueTask<long>> count)
    {
        Volatile.Write(ref _hasDeleted, false);
        long received = Interlocked.Read(ref _receiving) - Interlocked.Read(ref _added);
        long used = await count();
        Interlocked.Exchange(ref _used, used + received + Interlocked.Read(ref _added));
        Volatile.Write(ref _countedAt, Stopwatch.GetTimestamp());
        Volatile.Write(ref _isCounted, true);
    }

    /// <summary>Counts bytes of a file that is being received, from this request or an earlier one; negative when it ends.</summary>
    public void Receive(long bytes) => Interlocked.Add(ref _receiving, bytes);

    /// <summary>Adds received bytes, or takes away those that this server added.</summary>
    /// <param name="name">The file.</param>
    /// <param name="bytes">Bytes to add; negative to take them away.</param>
    /// <param name="lost">
    /// Added bytes that are of no use if these are refused. They are taken away in the same step: two senders whose files do not
    /// both fit would otherwise refuse each other.
    /// </param>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>; nothing is added then.</exception>
    public void Add(TransferName name, long bytes, long lost = 0)
    {
        if (max is not { } limit)
        {
            return;
        }

        lock (_adding)
        {
            if (bytes > 0 && Interlocked.Read(ref _used) + bytes > limit)
            {
                Interlocked.Add(ref _used, -lost);
                throw Full(name, limit);
            }

            Interlocked.Add(ref _added, Math.Max(0, bytes));
            Interlocked.Add(ref _used, bytes);
        }
    }

    /// <summary>By how many bytes announced ones do not fit; 0 or less if they do.</summary>
    public long Excess(long coming) => max is { } limit ? Interlocked.Read(ref _used) + coming - limit : 0;

    /// <summary>Refuses announced bytes that do not fit.</summary>
    public void Check(TransferName name, long coming)
    {
        if (max is { } limit && Interlocked.Read(ref _used) + coming > limit)
        {
            throw Full(name, limit);
        }
    }

    private static TransferException Full(TransferName name, long limit) => new(
        TransferError.NoSpace,
        $"The store is too full for '{name}': all files may have {limit} bytes. Delete something, or try again later.",
        name.Value);
}

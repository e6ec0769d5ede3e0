namespace Millrace.Transfer.S3;

/// <summary>Bytes of all files and uploads: counted in the bucket now and then, and in between what this server adds. Thread-safe.</summary>
/// <param name="max">Null without a limit.</param>
internal sealed class Quota(long? max)
{
    private long _used;
    private long _receiving;

    public bool IsLimited => max is not null;

    /// <summary>Replaces what is known by what the bucket has. What this server is receiving is in none of its lists.</summary>
    public void Set(long used) => Interlocked.Exchange(ref _used, used + Interlocked.Read(ref _receiving));

    /// <summary>Counts bytes of a file that is being received, from this request or an earlier one; negative when it ends.</summary>
    public void Receive(long bytes) => Interlocked.Add(ref _receiving, bytes);

    /// <summary>Adds bytes, or takes them away.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NoSpace"/>; nothing is added then.</exception>
    public void Add(TransferName name, long bytes)
    {
        if (max is not { } limit)
        {
            return;
        }

        long used = Interlocked.Add(ref _used, bytes);
        if (bytes > 0 && used > limit)
        {
            Interlocked.Add(ref _used, -bytes);
            throw Full(name, limit);
        }
    }

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

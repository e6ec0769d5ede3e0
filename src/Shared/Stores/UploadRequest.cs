namespace Millrace.Transfer.Server;

/// <summary>An upload of a store as one request uses it: keeps its lock from the first step to the last.</summary>
internal abstract class UploadRequest(UploadStatus status) : StoredUpload
{
    public sealed override UploadStatus Status => Known;

    /// <summary>The upload as it was after the last step.</summary>
    protected UploadStatus Known { get; set; } = status;

    /// <summary>The request's lock, which rests between two steps; null before the first.</summary>
    protected TakeoverLock.Holder? Holder { get; set; }

    /// <summary>Whether no other request can append.</summary>
    protected abstract bool IsFinal { get; }

    public sealed override async ValueTask TakeOverAsync(CancellationToken cancellationToken)
    {
        if (!IsFinal)
        {
            (await EnterAsync(cancellationToken)).Rest();
        }
    }

    public sealed override async ValueTask SetLengthAsync(long length, CancellationToken cancellationToken)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        if (Known.Length == length)
        {
            // Known already: no reason to stop a request that appends.
            return;
        }

        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            UploadRules.ThrowIfOtherLength(Known, length);
            await SaveLengthAsync(length, cancellationToken);
        }
        finally
        {
            holder.Rest();
        }
    }

    public sealed override async ValueTask<StoredFile> CompleteAsync(Sha256Digest? expected, CancellationToken cancellationToken)
    {
        TakeoverLock.Holder holder = await EnterAsync(cancellationToken);
        try
        {
            if (Known.Published is null)
            {
                UploadRules.ThrowIfUnfinished(Known);
                await PublishAsync(expected, cancellationToken);
            }

            return Known.Published!;
        }
        finally
        {
            holder.Rest();
        }
    }

    public sealed override ValueTask DisposeAsync()
    {
        Holder?.Dispose();
        Holder = null;
        return default;
    }

    /// <summary>Begins a step, for which the upload has to be this request's.</summary>
    /// <returns>To be rested at the end of the step.</returns>
    protected abstract ValueTask<TakeoverLock.Holder> EnterAsync(CancellationToken cancellationToken);

    /// <summary>Sets the length, if the store has room for it.</summary>
    protected abstract ValueTask SaveLengthAsync(long length, CancellationToken cancellationToken);

    /// <summary>Publishes the upload, which has all its bytes.</summary>
    protected abstract ValueTask PublishAsync(Sha256Digest? expected, CancellationToken cancellationToken);
}

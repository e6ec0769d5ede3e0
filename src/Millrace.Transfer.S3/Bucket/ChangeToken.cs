namespace Millrace.Transfer.S3;

/// <summary>Requests that change what others see.</summary>
internal static class ChangeToken
{
    /// <summary>The last moment at which a change can be cancelled.</summary>
    /// <returns>
    /// The token for the change itself: a request that changes the bucket is not cancelled once it is sent. The bucket may carry it out
    /// nevertheless, after the name's claim was given back and another request has changed the same name.
    /// </returns>
    public static CancellationToken Begin(this CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return CancellationToken.None;
    }
}

namespace Millrace.Transfer;

/// <summary>What every transfer of a client shares.</summary>
/// <param name="Options">How the server is reached.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Retry">What happens after a failure.</param>
/// <param name="Protocol">The protocol that was chosen.</param>
internal sealed record TransferContext(TransferClientOptions Options, TimeProvider Clock, RetryPolicy Retry, Protocol Protocol)
{
    /// <summary>How parts of a file are uploaded over several connections; null where that cannot be.</summary>
    public TusProtocolClient? Parts { get; init; }

    /// <summary>Watches one request.</summary>
    public IdleWatch Watch(CancellationToken caller) => new(Options.IdleTimeout, Clock, caller);
}

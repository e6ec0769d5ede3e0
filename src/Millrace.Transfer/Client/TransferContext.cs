namespace Millrace.Transfer;

/// <summary>What every transfer of a client shares.</summary>
internal sealed record TransferContext(TransferClientOptions Options, TimeProvider Clock, RetryPolicy Retry, Protocol Protocol)
{
    /// <summary>How parts of a file are uploaded over several connections; null where that cannot be.</summary>
    public TusProtocolClient? Parts { get; init; }

    /// <summary>How much one request of an upload brings.</summary>
    public required RequestSizes Sizes { get; init; }

    /// <summary>Watches one request.</summary>
    public IdleWatch Watch(CancellationToken caller) => new(Options.IdleTimeout, Clock, caller);
}

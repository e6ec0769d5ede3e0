namespace Millrace.Transfer;

/// <summary>What every transfer of a client shares.</summary>
internal sealed record TransferContext(TransferClientOptions Options, TimeProvider Clock, RetryPolicy Retry, Protocol Protocol)
{
    /// <summary>How parts of a file are uploaded over several connections; null where that cannot be.</summary>
    public TusProtocolClient? Parts { get; init; }

    /// <summary>Whether the server has lists of extents.</summary>
    public bool TakesHoles { get; init; }

    /// <summary>Small files that travel together; null where each needs its own request.</summary>
    public BatchUploads? Batches { get; set; }

    /// <summary>The same in the other direction.</summary>
    public BatchDownloads? Downloads { get; set; }

    /// <summary>How much one request of an upload brings.</summary>
    public required RequestSizes Sizes { get; init; }

    /// <summary>Keeps the bytes of all requests below a rate; null where they need not be.</summary>
    public RateLimit? Rate { get; } = Options.MaxBytesPerSecond is { } most ? new RateLimit(most, Clock) : null;

    /// <summary>Watches one request.</summary>
    public IdleWatch Watch(CancellationToken caller) => Watch(Options.IdleTimeout, caller);

    /// <summary>Watches one request that may wait for another time.</summary>
    public IdleWatch Watch(TimeSpan timeout, CancellationToken caller) => new(timeout, Clock, caller) { Rate = Rate };
}

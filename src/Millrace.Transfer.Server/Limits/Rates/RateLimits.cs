namespace Millrace.Transfer.Server;

/// <summary>The rates of a server: in total, and per caller. Thread-safe; one per application.</summary>
internal sealed class RateLimits(TransferLimits limits, TimeProvider clock, TransferMeter meter) : IDisposable
{
    /// <summary>Whether the server itself has one; tokens may have their own.</summary>
    public bool IsLimited => limits.MaxRate is not null || limits.MaxRatePerCaller is not null;

    public RateGate Receive { get; } = new(limits.MaxRate, clock, meter, "receive");

    public RateGate Transmit { get; } = new(limits.MaxRate, clock, meter, "transmit");

    /// <summary>Bytes per second of a caller; null for any.</summary>
    public long? RateOf(long? ofToken) => ofToken ?? limits.MaxRatePerCaller;

    public void Dispose()
    {
        Receive.Dispose();
        Transmit.Dispose();
    }
}

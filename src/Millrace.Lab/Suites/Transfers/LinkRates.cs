namespace Millrace.Lab.Suites.Transfers;

/// <summary>What is between two ends besides loopback.</summary>
/// <param name="RoundTripMs">Milliseconds that a byte and its answer take more.</param>
/// <param name="BitsPerSecond">What passes each way at most.</param>
public sealed record LinkRates(int RoundTripMs, long BitsPerSecond)
{
    public override string ToString() => FormattableString.Invariant($"{RoundTripMs} ms, {BitsPerSecond} bit/s");
}

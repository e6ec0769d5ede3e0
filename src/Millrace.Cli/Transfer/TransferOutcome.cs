using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>What became of a <see cref="TransferItem"/>.</summary>
/// <param name="Item">What was to be moved.</param>
/// <param name="Result">What it became; null when it failed.</param>
/// <param name="Error">Why it failed; null otherwise.</param>
/// <param name="Seconds">How long it took.</param>
internal sealed record TransferOutcome(TransferItem Item, TransferResult? Result, Exception? Error, double Seconds);

namespace Millrace.Transfer;

/// <summary>The result of a finished transfer.</summary>
/// <param name="Name">The file in the store.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Tag">Its version.</param>
/// <param name="Sha256">Its digest, computed here over the bytes and equal to the server's; null when digests are off.</param>
/// <param name="Protocol">The protocol that carried it.</param>
/// <param name="BytesSent">
/// Bytes of it that were moved in this run: more than <paramref name="Length"/> when some were lost on the way, less when an
/// earlier one was continued.
/// </param>
/// <param name="Attempts">1 without an interruption.</param>
public sealed record TransferResult(
    TransferName Name, long Length, EntityTag? Tag, Sha256Digest? Sha256, TransferProtocol Protocol, long BytesSent, int Attempts)
{
    /// <summary>Bytes of it that were not moved because an earlier version on the other side has them; 0 without a delta.</summary>
    public long BytesReused { get; init; }
}

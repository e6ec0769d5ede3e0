namespace Millrace.Transfer.Server;

/// <summary>The file that an upload became, in its state file.</summary>
/// <param name="Length">Bytes.</param>
/// <param name="Modified">Nanoseconds since 1970.</param>
/// <param name="Tag">Its tag; empty while that is not known yet.</param>
/// <param name="Sha256">Its digest in hexadecimal; null when it was not computed.</param>
internal sealed record PublishedRecord(long Length, long Modified, string Tag, string? Sha256)
{
    public StoredFile ToFile(TransferName name) => new(
        name,
        Length,
        DateTimeOffset.UnixEpoch.AddTicks(Modified / 100),
        new EntityTag(Tag),
        Sha256Digest.TryParse(Sha256, out Sha256Digest digest) ? digest : null);
}

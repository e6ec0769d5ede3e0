using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// Compares a body with its checksum: <c>Upload-Checksum</c> of tus and <c>Content-Digest</c> of RFC 9530, each as a header or
/// as a trailer.
/// </summary>
internal sealed class ContentCheck : IDisposable
{
    /// <summary>The status of tus's extension Checksum.</summary>
    public const int ChecksumMismatch = 460;

    private readonly DigestTrailers _trailers;
    private readonly TusChecksum? _checksum;
    private readonly Sha256Digest? _digest;
    private readonly IncrementalHash? _sha256;
    private readonly IncrementalHash? _sha1;

    private ContentCheck(DigestTrailers trailers, TusChecksum? checksum, Sha256Digest? digest)
    {
        _trailers = trailers;
        _checksum = checksum;
        _digest = digest;

        // A trailer names its algorithm only after the body.
        bool checksumFollows = trailers.Announces(TransferHeaders.UploadChecksum);
        bool sha256 = checksumFollows || trailers.Announces(TransferHeaders.ContentDigest) || digest is not null || checksum?.IsSha1 == false;
        _sha256 = sha256 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA256) : null;
#pragma warning disable CA5350 // tus wants every server with checksums to have SHA-1; it finds accidents, not attackers.
        _sha1 = checksumFollows || checksum?.IsSha1 == true ? IncrementalHash.CreateHash(HashAlgorithmName.SHA1) : null;
#pragma warning restore CA5350
    }

    /// <returns>Null if the request has no checksum, so that nothing has to be hashed.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static ContentCheck? Read(HttpRequest request)
    {
        var trailers = new DigestTrailers(request);
        TusChecksum? checksum = ReadChecksum(request.Headers[TransferHeaders.UploadChecksum]);
        Sha256Digest? digest = ReadDigest(request.Headers[TransferHeaders.ContentDigest]);
        return trailers.AreAnnounced || checksum is not null || digest is not null
            ? new ContentCheck(trailers, checksum, digest)
            : null;
    }

    public void Append(ReadOnlySpan<byte> content)
    {
        _sha256?.AppendData(content);
        _sha1?.AppendData(content);
    }

    /// <summary>Compares at the end of the body.</summary>
    /// <param name="request">The request, for its trailers.</param>
    /// <param name="offset">Where the upload is without this body, which is discarded if it differs.</param>
    /// <exception cref="Refusal"><see cref="TransferError.DigestMismatch"/>; with tus's own status for its own checksum.</exception>
    public void ThrowIfDifferent(HttpRequest request, long offset)
    {
        ThrowIfDifferent(_checksum, _digest, offset);
        if (_trailers.AreAnnounced)
        {
            _trailers.ThrowIfMissing(request, $"Nothing of this request was kept; send it again from {offset}.", offset);
            ThrowIfDifferent(
                _trailers.Announces(TransferHeaders.UploadChecksum)
                    ? ReadChecksum(DigestTrailers.Read(request, TransferHeaders.UploadChecksum))
                    : null,
                _trailers.Announces(TransferHeaders.ContentDigest)
                    ? ReadDigest(DigestTrailers.Read(request, TransferHeaders.ContentDigest))
                    : null,
                offset);
        }
    }

    public void Dispose()
    {
        _sha256?.Dispose();
        _sha1?.Dispose();
    }

    private static TusChecksum? ReadChecksum(StringValues field) => field.Count == 0 ? null : TusChecksum.Parse(field.ToString());

    private static Sha256Digest? ReadDigest(StringValues field)
    {
        Sha256Digest? digest = null;
        return field.Count == 0 || DigestField.TryParse(field.ToString(), out digest) ? digest : throw Errors.Invalid(
            "Content-Digest cannot be read. Send sha-256=:BASE64:, or leave it out.");
    }

    private void ThrowIfDifferent(TusChecksum? expectedChecksum, Sha256Digest? expectedDigest, long offset)
    {
        Span<byte> sha256 = stackalloc byte[SHA256.HashSizeInBytes];
        _sha256?.GetCurrentHash(sha256);
        if (expectedDigest is { } digest && new Sha256Digest(sha256) is var actual && actual != digest)
        {
            throw Different("Content-Digest", DigestField.Format(digest), DigestField.Format(actual), offset, status: null);
        }

        if (expectedChecksum is { } checksum)
        {
            Span<byte> sha1 = stackalloc byte[SHA1.HashSizeInBytes];
            _sha1?.GetCurrentHash(sha1);
            ReadOnlySpan<byte> value = checksum.IsSha1 ? sha1 : sha256;
            if (!checksum.Value.Span.SequenceEqual(value))
            {
                throw Different(
                    "Upload-Checksum", Convert.ToBase64String(checksum.Value.Span), Convert.ToBase64String(value), offset,
                    ChecksumMismatch);
            }
        }
    }

    private static Refusal Different(string field, string expected, string actual, long offset, int? status) => new(
        TransferError.DigestMismatch,
        $"{field} is {expected}, but the received body has {actual}. Nothing of this request was kept; send it again from {offset}.")
    {
        Status = status,
        Offset = offset,
    };
}

namespace Millrace.Transfer.Server;

/// <summary>
/// Compares a body with its checksum: <c>Upload-Checksum</c> of tus and <c>Content-Digest</c> of RFC 9530, each as a header or
/// as a trailer.
/// </summary>
internal sealed class ContentCheck : IDisposable
{
    /// <summary>The status of tus's extension Checksum.</summary>
    private const int ChecksumMismatch = 460;

    private readonly bool _trailers;
    private TusChecksum? _checksum;
    private Sha256Digest? _digest;
    private IncrementalHash? _sha256;
    private IncrementalHash? _sha1;

    private ContentCheck(bool trailers) => _trailers = trailers;

    /// <returns>Null if the request has no checksum, so that nothing has to be hashed.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static ContentCheck? Read(HttpRequest request)
    {
        bool trailers = request.SupportsTrailers() && NamesCheck(request);
        var check = new ContentCheck(trailers);
        check.Take(
            request.Headers[TransferHeaders.UploadChecksum].ToString(),
            request.Headers[TransferHeaders.ContentDigest].ToString());
        if (!trailers && check._checksum is null && check._digest is null)
        {
            return null;
        }

        // A trailer names its algorithm only after the body.
        check.Prepare(
            sha256: trailers || check._digest is not null || check._checksum?.IsSha1 == false,
            sha1: trailers || check._checksum?.IsSha1 == true);
        return check;
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
        if (_trailers && request.CheckTrailersAvailable())
        {
            Take(
                request.GetTrailer(TransferHeaders.UploadChecksum).ToString(),
                request.GetTrailer(TransferHeaders.ContentDigest).ToString());
        }

        Span<byte> sha256 = stackalloc byte[SHA256.HashSizeInBytes];
        _sha256?.GetCurrentHash(sha256);
        if (_digest is { } digest && new Sha256Digest(sha256) is var actual && actual != digest)
        {
            throw Different("Content-Digest", DigestField.Format(digest), DigestField.Format(actual), offset, status: null);
        }

        if (_checksum is { } checksum)
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

    public void Dispose()
    {
        _sha256?.Dispose();
        _sha1?.Dispose();
    }

    private static bool NamesCheck(HttpRequest request)
    {
        ReadOnlySpan<char> names = request.Headers.Trailer.ToString();
        foreach (Range range in names.Split(','))
        {
            ReadOnlySpan<char> name = names[range].Trim(' ');
            if (name.Equals(TransferHeaders.UploadChecksum, StringComparison.OrdinalIgnoreCase)
                || name.Equals(TransferHeaders.ContentDigest, StringComparison.OrdinalIgnoreCase))
            {
                return true;
            }
        }

        return false;
    }

    private void Take(string checksum, string digest)
    {
        if (checksum.Length > 0)
        {
            _checksum = TusChecksum.Parse(checksum);
        }

        if (digest.Length > 0)
        {
            if (!DigestField.TryParse(digest, out Sha256Digest? parsed))
            {
                throw Errors.Invalid("Content-Digest cannot be read. Send sha-256=:BASE64:, or leave it out.");
            }

            _digest = parsed;
        }
    }

    private static Refusal Different(string field, string expected, string actual, long offset, int? status) => new(
        TransferError.DigestMismatch,
        $"{field} is {expected}, and the body that arrived has {actual}. Nothing of this request was kept; send it again from {offset}.")
    {
        Status = status,
        Offset = offset,
    };

    private void Prepare(bool sha256, bool sha1)
    {
        _sha256 = sha256 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA256) : null;
#pragma warning disable CA5350 // tus wants every server with checksums to have SHA-1; it finds accidents, not attackers.
        _sha1 = sha1 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA1) : null;
#pragma warning restore CA5350
    }
}

using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>
/// The digests that a request gives (RFC 9530): <c>Content-Digest</c> of its body, <c>Repr-Digest</c> of the file that the body
/// becomes. As headers, or as trailers.
/// </summary>
internal sealed class RequestDigests
{
    private readonly string _name;
    private readonly bool _isCoded;
    private readonly bool _announcesTrailers;
    private Sha256Digest? _content;
    private Sha256Digest? _file;

    /// <summary>Reads the fields.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: one cannot be read.</exception>
    public RequestDigests(HttpRequest request, TransferName name, bool isCoded)
    {
        _name = name.Value;
        _isCoded = isCoded;
        _announcesTrailers = request.Headers.Trailer.Count > 0;
        _content = Read(request.Headers[TransferHeaders.ContentDigest], TransferHeaders.ContentDigest, null);
        _file = Read(request.Headers[TransferHeaders.ReprDigest], TransferHeaders.ReprDigest, null);
    }

    /// <summary>Whether the bytes have to be hashed as they come; without a coding they are the file's.</summary>
    public bool NeedsContentDigest => _isCoded && (_content is not null || _announcesTrailers);

    /// <summary>Compares the digest of what came.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.DigestMismatch"/>.</exception>
    public void CheckContent(HttpRequest request, Sha256Digest? arrived)
    {
        ReadTrailers(request);
        if (_content is { } expected && arrived is { } actual && expected != actual)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"What came for '{_name}' has the SHA-256 {actual}, not {expected} as Content-Digest says. Nothing was stored; send it again.",
                _name);
        }
    }

    /// <summary>The digest that the file must have; null when the client did not say.</summary>
    public Sha256Digest? ExpectedAtEnd(HttpRequest request)
    {
        ReadTrailers(request);
        if (_isCoded)
        {
            return _file;
        }

        if (_content is { } content && _file is { } file && content != file)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"Content-Digest and Repr-Digest of '{_name}' differ, but without a coding they are of the same bytes. Nothing was stored.",
                _name);
        }

        return _file ?? _content;
    }

    private void ReadTrailers(HttpRequest request)
    {
        if (request.SupportsTrailers() && request.CheckTrailersAvailable())
        {
            _content = Read(request.GetTrailer(TransferHeaders.ContentDigest), TransferHeaders.ContentDigest, _content);
            _file = Read(request.GetTrailer(TransferHeaders.ReprDigest), TransferHeaders.ReprDigest, _file);
        }
    }

    private Sha256Digest? Read(StringValues field, string fieldName, Sha256Digest? before)
    {
        if (field.Count == 0)
        {
            return before;
        }

        return DigestField.TryParse(field.ToString(), out Sha256Digest? digest)
            ? digest ?? before
            : throw Errors.Invalid(
                $"The field {fieldName} of '{_name}' cannot be read. It looks like sha-256=:BASE64:.", _name);
    }
}

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
    private readonly DigestTrailers _trailers;
    private Sha256Digest? _content;
    private Sha256Digest? _file;

    /// <summary>Reads the fields.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: one cannot be read.</exception>
    public RequestDigests(HttpRequest request, TransferName name, bool isCoded)
    {
        _name = name.Value;
        _isCoded = isCoded;
        _trailers = new DigestTrailers(request);
        _content = Read(request.Headers[TransferHeaders.ContentDigest], TransferHeaders.ContentDigest, null);
        _file = Read(request.Headers[TransferHeaders.ReprDigest], TransferHeaders.ReprDigest, null);
    }

    /// <summary>Whether the bytes have to be hashed as they come; without a coding they are the file's.</summary>
    public bool NeedsContentDigest => _isCoded && (_content is not null || _trailers.Announces(TransferHeaders.ContentDigest));

    /// <summary>Compares the digest of the received bytes.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.DigestMismatch"/>.</exception>
    public void CheckContent(HttpRequest request, Sha256Digest? arrived)
    {
        ReadTrailers(request);
        if (_content is not null && arrived is null)
        {
            throw Errors.Invalid(
                $"Content-Digest of '{_name}' was in an unannounced trailer, so the body was not hashed. Send Trailer: Content-Digest.",
                _name);
        }

        if (_content is { } expected && arrived is { } actual && expected != actual)
        {
            throw new TransferException(
                TransferError.DigestMismatch,
                $"The content of '{_name}' has the SHA-256 {actual}, not {expected} as in Content-Digest. Nothing was stored; send it again.",
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
        _trailers.ThrowIfMissing(request, "Nothing was stored.");
        _content = ReadTrailer(request, TransferHeaders.ContentDigest, _content);
        _file = ReadTrailer(request, TransferHeaders.ReprDigest, _file);
    }

    private Sha256Digest? ReadTrailer(HttpRequest request, string fieldName, Sha256Digest? before)
    {
        Sha256Digest? digest = Read(DigestTrailers.Read(request, fieldName), fieldName, before);
        return before is null || digest == before
            ? digest
            : throw new TransferException(
                TransferError.DigestMismatch,
                $"{fieldName} of '{_name}' differs between the header and the trailer. Nothing was stored; send the right one.",
                _name);
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

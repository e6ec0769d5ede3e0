using System.Buffers.Binary;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>
/// What a request says about its own bytes, and whether they are that: <c>Upload-Checksum</c> of tus and
/// <c>Content-Digest</c> of RFC 9530, each in front of the body or behind it.
/// </summary>
/// <remarks>Not thread-safe: one request reads, hashes and compares.</remarks>
internal sealed class ContentCheck : IDisposable
{
    private readonly bool _trailers;
    private TusChecksum? _checksum;
    private Sha256Digest? _digest;
    private IncrementalHash? _sha256;
    private IncrementalHash? _sha1;
    private Crc32 _crc32;
    private bool _needsCrc32;

    private ContentCheck(bool trailers) => _trailers = trailers;

    /// <summary>Reads what a request says of its body.</summary>
    /// <returns>Null when it says nothing: then nothing has to be hashed.</returns>
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

        // A trailer says its algorithm when the bytes have passed.
        check.Prepare(
            sha256: trailers || check._digest is not null || check._checksum?.Algorithm == ChecksumAlgorithm.Sha256,
            sha1: trailers || check._checksum?.Algorithm == ChecksumAlgorithm.Sha1,
            crc32: trailers || check._checksum?.Algorithm == ChecksumAlgorithm.Crc32);
        return check;
    }

    /// <summary>Goes on with bytes of the body.</summary>
    public void Append(ReadOnlySpan<byte> content)
    {
        _sha256?.AppendData(content);
        _sha1?.AppendData(content);
        if (_needsCrc32)
        {
            _crc32.Append(content);
        }
    }

    /// <summary>Compares, at the end of the body.</summary>
    /// <param name="request">The request, for what came behind its body.</param>
    /// <param name="isChecksum">Whether tus's checksum is what failed; it has a status of its own.</param>
    /// <returns>Why the bytes are not what was said; null when they are.</returns>
    public string? Compare(HttpRequest request, out bool isChecksum)
    {
        isChecksum = false;
        if (_trailers && request.CheckTrailersAvailable())
        {
            Take(
                request.GetTrailer(TransferHeaders.UploadChecksum).ToString(),
                request.GetTrailer(TransferHeaders.ContentDigest).ToString());
        }

        Span<byte> sha256 = stackalloc byte[SHA256.HashSizeInBytes];
        _sha256?.GetCurrentHash(sha256);
        if (_digest is { } digest && new Sha256Digest(sha256) is var found && found != digest)
        {
            return $"Content-Digest says {DigestField.Format(digest)}, and what arrived has {DigestField.Format(found)}";
        }

        if (_checksum is not { } checksum)
        {
            return null;
        }

        Span<byte> other = stackalloc byte[20];
        scoped ReadOnlySpan<byte> value;
        switch (checksum.Algorithm)
        {
            case ChecksumAlgorithm.Sha256:
                value = sha256;
                break;
            case ChecksumAlgorithm.Sha1:
                _sha1!.GetCurrentHash(other);
                value = other;
                break;
            default:
                BinaryPrimitives.WriteUInt32BigEndian(other, _crc32.Value);
                value = other[..4];
                break;
        }

        isChecksum = !checksum.Value.Span.SequenceEqual(value);
        return isChecksum
            ? $"Upload-Checksum says {Convert.ToBase64String(checksum.Value.Span)}, and what arrived has {Convert.ToBase64String(value)}"
            : null;
    }

    /// <inheritdoc/>
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
            if (!TusChecksum.TryParse(checksum, out TusChecksum parsed, out string why))
            {
                throw new TransferException(
                    TransferError.InvalidRequest,
                    $"Upload-Checksum cannot be read: {why}. Send an algorithm of {TusChecksum.Algorithms}, a space, and the checksum in base64.");
            }

            _checksum = parsed;
        }

        if (digest.Length > 0)
        {
            if (!DigestField.TryParse(digest, out Sha256Digest? parsed))
            {
                throw new TransferException(
                    TransferError.InvalidRequest,
                    "Content-Digest cannot be read. Send sha-256=:BASE64:, or leave it out.");
            }

            _digest = parsed;
        }
    }

    private void Prepare(bool sha256, bool sha1, bool crc32)
    {
        _sha256 = sha256 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA256) : null;
#pragma warning disable CA5350 // tus wants every server with checksums to have SHA-1; it finds accidents, not attackers.
        _sha1 = sha1 ? IncrementalHash.CreateHash(HashAlgorithmName.SHA1) : null;
#pragma warning restore CA5350
        _needsCrc32 = crc32;
    }
}

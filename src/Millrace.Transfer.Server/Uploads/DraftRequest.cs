using System.Diagnostics.CodeAnalysis;
using Microsoft.AspNetCore.Http;
using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>What a request that begins or continues an upload by the draft says of it.</summary>
internal readonly struct DraftRequest
{
    private DraftRequest(bool completes, long? length)
    {
        Completes = completes;
        Length = length;
    }

    /// <summary>Whether it brings the last byte: <c>Upload-Complete: ?1</c>.</summary>
    public bool Completes { get; }

    /// <summary>Bytes of the whole, as far as this request tells.</summary>
    public long? Length { get; }

    /// <summary>Whether a request says at all whether it brings the last byte.</summary>
    public static bool TryReadComplete(HttpRequest request, out bool completes) =>
        StructuredField.TryParseBoolean(request.Headers[TransferHeaders.UploadComplete].ToString(), out completes);

    /// <summary>Reads its fields.</summary>
    /// <param name="call">The request.</param>
    /// <param name="offset">Where it continues; 0 where it begins.</param>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static DraftRequest Read(UploadCall call, long offset)
    {
        HttpRequest request = call.Request;
        if (!TryReadComplete(request, out bool completes))
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                "Upload-Complete is missing or neither ?0 nor ?1. Say ?1 when this request brings the last byte.");
        }

        // A coding belongs to the file (RFC 9110, section 8.4), and what is kept here is the file without one.
        string coding = request.Headers.ContentEncoding.ToString();
        if (coding.Length > 0 && !coding.Equals("identity", StringComparison.OrdinalIgnoreCase))
        {
            call.RefusalStatus = StatusCodes.Status415UnsupportedMediaType;
            throw new TransferException(
                TransferError.InvalidRequest,
                $"Content-Encoding: {NameForMessage(coding)} is not unpacked in uploads that can be resumed. Send the file as it is, "
                + "or with PUT and without Upload-Complete.");
        }

        long? said = StructuredField.TryParseCount(
            request.Headers[TransferHeaders.UploadLength].ToString(), out long length) ? length : null;
        long? counted = completes && (request.ContentLength ?? (call.HasBody ? null : 0)) is { } rest ? offset + rest : null;
        if (said is not null && counted is not null && said != counted)
        {
            ThrowContradiction(
                call, $"Upload-Length says {said} bytes, and with the last of this request there are {counted}.");
        }

        return new DraftRequest(completes, said ?? counted);
    }

    /// <summary>Refuses what contradicts the length that was said.</summary>
    [DoesNotReturn]
    public static void ThrowContradiction(UploadCall call, string what)
    {
        call.LengthContradicts = true;
        throw new TransferException(
            TransferError.InvalidRequest, $"{what} Send the bytes that were announced, or begin a new upload.");
    }

    private static string NameForMessage(string coding) =>
        StringWithQualityHeaderValue.TryParse(coding, out StringWithQualityHeaderValue? value) ? value.Value.ToString() : "…";
}

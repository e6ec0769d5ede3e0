using Microsoft.Net.Http.Headers;

namespace Millrace.Transfer.Server;

/// <summary>The fields of a request that starts or continues an upload by the draft.</summary>
/// <param name="Completes">Whether it brings the last byte: <c>Upload-Complete: ?1</c>.</param>
/// <param name="Length">Bytes of the whole file, if this request declares it.</param>
internal readonly record struct DraftRequest(bool Completes, long? Length)
{
    // Draft 03 calls itself 5, drafts 04 and 05 are 6, drafts 06 to 08 are 7, drafts 09 and later are 8.
    private const long OldestVersion = 5;
    private const long NewestVersion = 8;

    /// <summary>The last version without a media type for parts.</summary>
    private const long VersionWithoutMediaType = 5;

    /// <summary>The last version that called an upload's lifetime <c>expires</c>; it is <c>max-age</c> now.</summary>
    private const long VersionWithExpires = 6;

    public static bool TryReadVersion(HttpRequest request, out long version) =>
        StructuredField.TryParseCount(request.Headers[TransferHeaders.UploadDraftInteropVersion].ToString(), out version);

    public static bool IsSupported(long version) => version is >= OldestVersion and <= NewestVersion;

    public static bool NeedsMediaType(HttpRequest request) =>
        !TryReadVersion(request, out long version) || version > VersionWithoutMediaType;

    public static bool HasExpires(HttpRequest request) =>
        TryReadVersion(request, out long version) && version <= VersionWithExpires;

    /// <param name="call">The request.</param>
    /// <param name="offset">Where it continues; 0 where it starts an upload.</param>
    /// <exception cref="Refusal"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static DraftRequest Read(UploadCall call, long offset)
    {
        HttpRequest request = call.Request;
        if (!StructuredField.TryParseBoolean(request.Headers[TransferHeaders.UploadComplete].ToString(), out bool completes))
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                "Upload-Complete is missing or neither ?0 nor ?1 (drafts before 03 are not supported). Send ?1 when this request "
                + "brings the last byte.");
        }

        // A coding belongs to the file (RFC 9110, section 8.4), and this store keeps the file without one.
        string coding = request.Headers.ContentEncoding.ToString();
        if (coding.Length > 0 && !coding.Equals("identity", StringComparison.OrdinalIgnoreCase))
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                $"Content-Encoding: {NameForMessage(coding)} is not decoded in resumable uploads. Send the file as it is, "
                + "or with PUT and without Upload-Complete.")
            {
                Status = StatusCodes.Status415UnsupportedMediaType,
            };
        }

        long? announced = StructuredField.TryParseCount(call.Field(TransferHeaders.UploadLength), out long length) ? length : null;
        long? counted = completes && (request.ContentLength ?? (call.HasBody ? null : 0)) is { } rest ? offset + rest : null;
        return announced is null || counted is null || announced == counted
            ? new DraftRequest(completes, announced ?? counted)
            : throw Contradiction($"Upload-Length is {announced} bytes, and with the last of this request there are {counted}.");
    }

    /// <summary>For a request that contradicts the upload's length.</summary>
    public static Refusal Contradiction(string what) => new(
        TransferError.InvalidRequest, $"{what} Send the bytes that were announced, or start a new upload.")
    {
        ContradictsLength = true,
    };

    private static string NameForMessage(string coding) =>
        StringWithQualityHeaderValue.TryParse(coding, out StringWithQualityHeaderValue? value) ? value.Value.ToString() : "…";
}

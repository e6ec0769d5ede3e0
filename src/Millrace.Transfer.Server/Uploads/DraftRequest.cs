using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>The fields of a request that starts or continues an upload by the draft.</summary>
/// <param name="Completes">Whether it brings the last byte: <c>Upload-Complete: ?1</c>.</param>
/// <param name="Length">Bytes of the whole file, if this request declares it.</param>
internal readonly record struct DraftRequest(bool Completes, long? Length)
{
    // Draft 01 calls itself 3, 02 is 4, 03 is 5, 04 and 05 are 6, 06 to 08 are 7, 09 to 11 are 8, 12 and later are 9.
    private const long OldestVersion = 3;
    private const long NewestVersion = 9;

    /// <summary>The last version with <c>Upload-Incomplete</c>, whose value is the opposite of that of <c>Upload-Complete</c>.</summary>
    private const long VersionWithIncomplete = 3;

    /// <summary>
    /// The last version that answers every part with 201, does not require completeness with a part, and refuses fields about it
    /// in other requests to an upload.
    /// </summary>
    private const long VersionWithCreatedParts = 4;

    /// <summary>The last version without a media type for parts.</summary>
    private const long VersionWithoutMediaType = 5;

    /// <summary>The last version that called an upload's lifetime <c>expires</c>; it is <c>max-age</c> now.</summary>
    private const long VersionWithExpires = 6;

    public static bool TryReadVersion(HttpRequest request, out long version) =>
        StructuredField.TryParseCount(request.Headers[TransferHeaders.UploadDraftInteropVersion].ToString(), out version);

    public static bool IsSupported(long version) => version is >= OldestVersion and <= NewestVersion;

    public static bool NeedsMediaType(HttpRequest request) => VersionOf(request) > VersionWithoutMediaType;

    public static bool HasExpires(HttpRequest request) => VersionOf(request) <= VersionWithExpires;

    /// <summary>Whether a part that does not complete the upload is answered 201.</summary>
    public static bool CreatesWithParts(HttpRequest request) => VersionOf(request) <= VersionWithCreatedParts;

    /// <summary>Whether the request, and so its response, has <c>Upload-Incomplete</c> for <c>Upload-Complete</c>.</summary>
    /// <remarks>A field that is there counts, whatever the version: without it a part of a file could be published as the whole.</remarks>
    public static bool HasIncomplete(HttpRequest request)
    {
        bool isIncomplete = request.Headers.ContainsKey(UploadHeaders.Incomplete);
        return isIncomplete == request.Headers.ContainsKey(TransferHeaders.UploadComplete)
            ? VersionOf(request) <= VersionWithIncomplete
            : isIncomplete;
    }

    /// <summary>Whether a request that begins an upload brings the whole file.</summary>
    public static bool IsWhole(HttpRequest request) => TryReadCompletes(request, isPart: false, out bool completes) && completes;

    /// <summary>
    /// Whether a request is handled as one without resumption: it brings the whole file, and is of a draft that is unknown here,
    /// or in a coding, which belongs to the file, so that all of it would have to be there to be decoded.
    /// </summary>
    public static bool IsPlain(HttpRequest request) => HttpMethods.IsPut(request.Method) && IsWhole(request)
        && ((request.Headers.ContainsKey(TransferHeaders.UploadDraftInteropVersion)
                && !(TryReadVersion(request, out long version) && IsSupported(version)))
            || UploadCall.HasCoding(request));

    /// <summary>The first drafts refuse requests about an upload that have fields of those that append.</summary>
    /// <exception cref="Refusal"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static void ThrowIfAppends(HttpRequest request)
    {
        IHeaderDictionary headers = request.Headers;
        if (VersionOf(request) <= VersionWithCreatedParts && (headers.ContainsKey(TransferHeaders.UploadOffset)
            || headers.ContainsKey(TransferHeaders.UploadComplete) || headers.ContainsKey(UploadHeaders.Incomplete)))
        {
            throw new Refusal(
                TransferError.InvalidRequest,
                $"{request.Method} of an upload has no Upload-Offset, Upload-Complete or Upload-Incomplete in this version of the draft.");
        }
    }

    /// <param name="call">The request.</param>
    /// <param name="offset">Where it continues; null where it starts an upload.</param>
    /// <exception cref="Refusal"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static DraftRequest Read(UploadCall call, long? offset)
    {
        HttpRequest request = call.Request;
        if (!TryReadCompletes(request, isPart: offset is not null, out bool completes))
        {
            (string name, string last) = HasIncomplete(request)
                ? (UploadHeaders.Incomplete, UploadHeaders.False)
                : (TransferHeaders.UploadComplete, UploadHeaders.True);
            throw new Refusal(
                TransferError.InvalidRequest,
                $"{name} is missing or neither ?0 nor ?1. Send {last} when this request brings the last byte.");
        }

        call.ThrowIfCoded();
        long? announced = StructuredField.TryParseCount(call.Field(TransferHeaders.UploadLength), out long length) ? length : null;
        long? counted = completes && !call.IsDelta && (request.ContentLength ?? (call.HasBody ? null : 0)) is { } rest ? (offset ?? 0) + rest : null;
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

    private static bool TryReadCompletes(HttpRequest request, bool isPart, out bool completes)
    {
        bool isOpposite = HasIncomplete(request);
        StringValues field = request.Headers[isOpposite ? UploadHeaders.Incomplete : TransferHeaders.UploadComplete];
        if (field.Count == 0 && isPart && CreatesWithParts(request))
        {
            // In draft 01 a part without the field is the last one, in 02 it is not.
            completes = isOpposite;
            return true;
        }

        bool isRead = StructuredField.TryParseBoolean(field.ToString(), out bool value);
        completes = isRead && value != isOpposite;
        return isRead;
    }

    /// <summary>The draft that a request speaks: that of the final RFC if it does not say so, or one that is unknown here.</summary>
    private static long VersionOf(HttpRequest request) =>
        TryReadVersion(request, out long version) && IsSupported(version) ? version : NewestVersion;
}

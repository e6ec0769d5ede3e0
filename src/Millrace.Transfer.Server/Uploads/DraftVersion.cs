using Microsoft.AspNetCore.Http;

namespace Millrace.Transfer.Server;

/// <summary>
/// Which iterations of the IETF draft are spoken. Draft 03 calls itself 5, drafts 04 and 05 are 6, drafts 06 to 08 are 7,
/// drafts 09 and later are 8.
/// </summary>
internal static class DraftVersion
{
    private const long Oldest = 5;
    private const long Newest = 8;

    /// <summary>The last that had no media type of its own for parts.</summary>
    private const long WithoutMediaType = 5;

    /// <summary>The last that called an upload's lifetime <c>expires</c>; it is <c>max-age</c> now.</summary>
    private const long WithExpires = 6;

    public static bool TryRead(HttpRequest request, out long version) =>
        StructuredField.TryParseCount(request.Headers[TransferHeaders.UploadDraftInteropVersion].ToString(), out version);

    public static bool IsSpoken(long version) => version is >= Oldest and <= Newest;

    public static bool NeedsMediaType(HttpRequest request) =>
        !TryRead(request, out long version) || version > WithoutMediaType;

    public static bool SaysExpires(HttpRequest request) => TryRead(request, out long version) && version <= WithExpires;
}

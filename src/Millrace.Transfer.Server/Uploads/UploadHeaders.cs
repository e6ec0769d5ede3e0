namespace Millrace.Transfer.Server;

/// <summary>Names and values of fields that only the endpoints of uploads need.</summary>
internal static class UploadHeaders
{
    public const string TusVersion = "Tus-Version";
    public const string TusExtension = "Tus-Extension";
    public const string TusMaxSize = "Tus-Max-Size";
    public const string TusChecksumAlgorithm = "Tus-Checksum-Algorithm";
    public const string UploadDeferLength = "Upload-Defer-Length";
    public const string UploadLimit = "Upload-Limit";
    public const string Incomplete = "Upload-Incomplete"; // What drafts before 02 had for Upload-Complete, with the opposite value.
    public const string MethodOverride = "X-HTTP-Method-Override";

    public const string Version = "1.0.0";
    public const string Extensions =
        "creation,creation-defer-length,creation-with-upload,expiration,termination,checksum,checksum-trailer,concatenation";

    public const string TusMediaType = "application/offset+octet-stream";
    public const string DraftMediaType = "application/partial-upload";

    public const string True = "?1";
    public const string False = "?0";
}

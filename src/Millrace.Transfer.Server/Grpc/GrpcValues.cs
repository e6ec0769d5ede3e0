using Google.Protobuf.WellKnownTypes;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server;

/// <summary>Values of untrusted messages.</summary>
internal static class GrpcValues
{
    /// <summary>A folder; empty for the root.</summary>
    public static TransferName Folder(string text) => text.Length == 0 ? default : TransferName.Parse(text);

    /// <summary>A number of bytes.</summary>
    public static long Bytes(long value, string field) => value >= 0
        ? value
        : throw Errors.Invalid($"'{field}' is {value}; it is a number of bytes, 0 or more.");

    /// <summary>The same where it is optional.</summary>
    public static long? Bytes(bool has, long value, string field) => has ? Bytes(value, field) : null;

    public static WritePrecondition Precondition(Precondition? message)
    {
        _ = Time(message?.UnmodifiedSince, "unmodified_since");
        return GrpcMapping.ToPrecondition(message);
    }

    public static UploadId Upload(string text)
    {
        if (text.Length == 0)
        {
            throw Errors.Invalid("'upload' is missing: name the upload, and in a part name it before its data.");
        }

        return UploadId.TryParse(text, out UploadId id)
            ? id
            : throw new TransferException(
                TransferError.NotFound, "'upload' is not a valid upload ID. Start an upload with StartUpload.");
    }

    /// <summary>A time where there is one.</summary>
    public static FileTime? Time(Timestamp? message, string field) => message is null ? null : GrpcMapping.ToTime(message)
        ?? throw Errors.Invalid($"'{field}' is not a valid time; use one between the years 1 and 9999.");
}

using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>When an uploaded file was last changed, if its client specified it.</summary>
internal static class GivenTime
{
    /// <summary>The key of tus's metadata.</summary>
    public const string Key = "mtime";

    /// <summary>Reads it from the fields of a request, or else from tus's metadata, and confirms it in the response.</summary>
    /// <returns>Null if the client did not specify it: then the file gets the time of its publication.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: our own field cannot be read.</exception>
    public static FileTime? Read(HttpContext context, TusMetadata? metadata = null)
    {
        IHeaderDictionary fields = context.Request.Headers;
        if (fields[TransferHeaders.Modified].ToString() is { Length: > 0 } own)
        {
            return FileTime.TryParse(own, out FileTime time) ? time : throw Errors.Invalid(
                $"{TransferHeaders.Modified} is not a number of seconds since 1970, with up to nine digits after a point, "
                + "of the years 1 to 9999.");
        }

        // Other programs' fields keep their established meaning, or are ignored.
        if (FileTime.TryParse(fields[TransferHeaders.OwnCloudModified].ToString(), out FileTime given))
        {
            context.Response.Headers[TransferHeaders.OwnCloudModified] = "accepted";
            return given;
        }

        return metadata is not null && metadata.TryGet(Key, out ReadOnlyMemory<byte> value)
            && FileTime.TryParse(Encoding.ASCII.GetString(value.Span), out given) ? given : null;
    }
}

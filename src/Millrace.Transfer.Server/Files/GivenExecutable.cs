namespace Millrace.Transfer.Server;

/// <summary>Whether an uploaded file may be run, if its client specified it.</summary>
internal static class GivenExecutable
{
    /// <summary>The key of tus's metadata, whose value is 1 or 0.</summary>
    public const string Key = "executable";

    /// <summary>Reads it from the field of a request, or else from tus's metadata.</summary>
    /// <returns>Null if the client did not specify it.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it cannot be read.</exception>
    public static bool? Read(HttpContext context, TusMetadata? metadata = null)
    {
        string field = context.Request.Headers[TransferHeaders.Executable].ToString();
        if (field.Length == 0 && metadata is not null && metadata.TryGet(Key, out ReadOnlyMemory<byte> value))
        {
            field = value.Span.SequenceEqual("1"u8) ? "?1" : value.Span.SequenceEqual("0"u8) ? "?0" : "invalid";
        }

        return field switch
        {
            "" => null,
            "?1" => true,
            "?0" => false,
            _ => throw Errors.Invalid($"{TransferHeaders.Executable} is ?1 or ?0, and '{Key}' in metadata is 1 or 0."),
        };
    }
}

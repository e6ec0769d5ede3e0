namespace Millrace.Transfer.Server;

/// <summary>The field <c>Upload-Checksum</c> of tus: an algorithm, a space, and the checksum of this request in base64.</summary>
internal readonly struct TusChecksum
{
    /// <summary>The value of <c>Tus-Checksum-Algorithm</c>.</summary>
    public const string Algorithms = "sha256,sha1";

    private TusChecksum(bool isSha1, byte[] value)
    {
        IsSha1 = isSha1;
        Value = value;
    }

    /// <summary>Whether the algorithm is SHA-1, which tus demands of every server, and not SHA-256.</summary>
    public bool IsSha1 { get; }

    public ReadOnlyMemory<byte> Value { get; }

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static TusChecksum Parse(string field)
    {
        ReadOnlySpan<char> text = field.AsSpan().Trim(' ');
        int space = text.IndexOf(' ');
        int length = (space < 0 ? text : text[..space]) switch
        {
            "sha256" => SHA256.HashSizeInBytes,
            "sha1" => SHA1.HashSizeInBytes,
            _ => throw Unreadable($"its algorithm is not one of {Algorithms}"),
        };
        Span<byte> value = stackalloc byte[48];
        ReadOnlySpan<char> digits = space < 0 ? default : text[(space + 1)..];
        return !digits.ContainsAny(" \t\r\n") && Convert.TryFromBase64Chars(digits, value, out int written) && written == length
            ? new TusChecksum(isSha1: length == SHA1.HashSizeInBytes, value[..length].ToArray())
            : throw Unreadable($"what follows the algorithm is not {length} bytes in base64");
    }

    private static TransferException Unreadable(string why) => Errors.Invalid(
        $"Upload-Checksum cannot be read: {why}. Send an algorithm of {Algorithms}, a space, and the checksum in base64.");
}

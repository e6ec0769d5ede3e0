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

    public static bool TryParse(string field, out TusChecksum checksum, out string why)
    {
        checksum = default;
        why = "";
        ReadOnlySpan<char> text = field.AsSpan().Trim(' ');
        int space = text.IndexOf(' ');
        ReadOnlySpan<char> name = space < 0 ? text : text[..space];
        int length = name switch
        {
            "sha256" => 32,
            "sha1" => 20,
            _ => 0,
        };
        if (length == 0)
        {
            why = $"its algorithm is not one of {Algorithms}";
            return false;
        }

        Span<byte> value = stackalloc byte[48];
        ReadOnlySpan<char> digits = space < 0 ? default : text[(space + 1)..];
        if (digits.ContainsAny(" \t\r\n") || !Convert.TryFromBase64Chars(digits, value, out int written) || written != length)
        {
            why = $"what follows the algorithm is not {length} bytes in base64";
            return false;
        }

        checksum = new TusChecksum(isSha1: length == 20, value[..length].ToArray());
        return true;
    }
}

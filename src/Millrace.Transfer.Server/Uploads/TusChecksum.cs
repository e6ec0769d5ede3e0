namespace Millrace.Transfer.Server;

/// <summary>The field <c>Upload-Checksum</c> of tus: an algorithm, a space, and the checksum of this request in base64.</summary>
internal readonly struct TusChecksum
{
    /// <summary>What <c>Tus-Checksum-Algorithm</c> says.</summary>
    public const string Algorithms = "sha256,sha1,crc32";

    private TusChecksum(ChecksumAlgorithm algorithm, byte[] value)
    {
        Algorithm = algorithm;
        Value = value;
    }

    public ChecksumAlgorithm Algorithm { get; }

    public ReadOnlyMemory<byte> Value { get; }

    /// <summary>Reads the field.</summary>
    /// <param name="field">Its value.</param>
    /// <param name="checksum">What it says.</param>
    /// <param name="why">Why it cannot be read; empty when it can.</param>
    public static bool TryParse(string field, out TusChecksum checksum, out string why)
    {
        checksum = default;
        why = "";
        ReadOnlySpan<char> text = field.AsSpan().Trim(' ');
        int space = text.IndexOf(' ');
        ReadOnlySpan<char> name = space < 0 ? text : text[..space];
        (ChecksumAlgorithm algorithm, int length) = name switch
        {
            "sha256" => (ChecksumAlgorithm.Sha256, 32),
            "sha1" => (ChecksumAlgorithm.Sha1, 20),
            "crc32" => (ChecksumAlgorithm.Crc32, 4),
            _ => default,
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

        checksum = new TusChecksum(algorithm, value[..length].ToArray());
        return true;
    }
}

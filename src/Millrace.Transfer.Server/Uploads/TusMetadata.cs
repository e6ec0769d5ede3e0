using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// The field <c>Upload-Metadata</c> of tus: keys without spaces or commas, each once, and their values in base64.
/// </summary>
internal sealed class TusMetadata
{
    /// <summary>Longest field that a store keeps, in bytes.</summary>
    public const int MaxBytes = 4096;

    private static readonly UTF8Encoding Strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly List<KeyValuePair<string, byte[]>> _pairs = [];

    /// <summary>Keys and values in the order in which they came.</summary>
    public IReadOnlyList<KeyValuePair<string, byte[]>> Pairs => _pairs;

    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>.</exception>
    public static TusMetadata Parse(string field)
    {
        if (field.Length > MaxBytes)
        {
            throw Unreadable($"it has {field.Length} bytes, and {MaxBytes} are kept");
        }

        var metadata = new TusMetadata();
        if (!field.AsSpan().Trim(' ').IsEmpty)
        {
            foreach (Range range in field.AsSpan().Split(','))
            {
                // Proxies that join several lines of a field put a space after the comma.
                metadata.Add(field.AsSpan(range).Trim(' '));
            }
        }

        return metadata;
    }

    /// <summary>The value of a key.</summary>
    public bool TryGet(string key, out ReadOnlyMemory<byte> value)
    {
        foreach (KeyValuePair<string, byte[]> pair in _pairs)
        {
            if (pair.Key == key)
            {
                value = pair.Value;
                return true;
            }
        }

        value = default;
        return false;
    }

    /// <summary>The value of a key as text.</summary>
    /// <param name="key">The key.</param>
    /// <param name="isName">Whether it is the name of a file.</param>
    /// <returns>Null when the key is absent or its value is empty.</returns>
    /// <exception cref="TransferException">
    /// It is not UTF-8: <see cref="TransferError.InvalidName"/> of a name, otherwise <see cref="TransferError.InvalidRequest"/>.
    /// </exception>
    public string? Text(string key, bool isName = false)
    {
        if (!TryGet(key, out ReadOnlyMemory<byte> value) || value.IsEmpty)
        {
            return null;
        }

        try
        {
            return Strict.GetString(value.Span);
        }
        catch (DecoderFallbackException exception)
        {
            throw new TransferException(
                isName ? TransferError.InvalidName : TransferError.InvalidRequest,
                $"The value of '{key}' in Upload-Metadata is not UTF-8. Encode the text in UTF-8, then in base64.",
                innerException: exception);
        }
    }

    private void Add(ReadOnlySpan<char> pair)
    {
        int space = pair.IndexOf(' ');
        ReadOnlySpan<char> key = space < 0 ? pair : pair[..space];
        ReadOnlySpan<char> value = space < 0 ? default : pair[(space + 1)..];
        if (key.IsEmpty)
        {
            throw Unreadable("a key is empty");
        }

        // The field is repeated in the response to HEAD, where only printable ASCII can stand.
        if (key.ContainsAnyExceptInRange('!', '~'))
        {
            throw Unreadable("a key has a character that is not printable ASCII");
        }

        string name = key.ToString();
        if (TryGet(name, out _))
        {
            throw Unreadable($"the key '{name}' is there twice");
        }

        byte[] bytes = new byte[(value.Length / 4 * 3) + 3];
        if (value.ContainsAny(" \t\r\n") || !Convert.TryFromBase64Chars(value, bytes, out int length))
        {
            throw Unreadable($"the value of '{name}' is not base64");
        }

        _pairs.Add(new KeyValuePair<string, byte[]>(name, bytes[..length]));
    }

    private static TransferException Unreadable(string why) => Errors.Invalid(
        $"Upload-Metadata cannot be read: {why}. Send keys and values in base64, with a space between them and commas between the pairs.");
}

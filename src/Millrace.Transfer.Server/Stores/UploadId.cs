using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer.Server;

/// <summary>Names an upload. 128 random bits in 32 hexadecimal digits: a client that knows it may continue the upload.</summary>
[Experimental("MILLRACE001")]
public readonly record struct UploadId
{
    private const int Digits = 32;

    private static readonly SearchValues<char> Hexadecimal = SearchValues.Create("0123456789abcdef");

    private UploadId(string value) => Value = value;

    /// <summary>The digits.</summary>
    public string Value { get; }

    /// <summary>A new one, which cannot be guessed.</summary>
    public static UploadId Next() => new(RandomNumberGenerator.GetHexString(Digits, lowercase: true));

    /// <summary>Reads one; anything but 32 lower-case hexadecimal digits is none.</summary>
    public static bool TryParse(ReadOnlySpan<char> text, out UploadId id)
    {
        id = default;
        if (text.Length != Digits || text.ContainsAnyExcept(Hexadecimal))
        {
            return false;
        }

        id = new UploadId(text.ToString());
        return true;
    }

    /// <inheritdoc/>
    public override string ToString() => Value ?? "";
}

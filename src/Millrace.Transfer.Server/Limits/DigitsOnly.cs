using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// Decodes a Content-Length, and anything but digits to text that is not a number. Kestrel takes <c>+5</c> and <c>-0</c> otherwise,
/// which RFC 9110, section 8.6, does not allow and a proxy may read differently.
/// </summary>
internal sealed class DigitsOnly : ASCIIEncoding
{
    public static readonly DigitsOnly Instance = new();

    private const int LongestNumber = 19; // long.MaxValue

    private DigitsOnly()
    {
    }

    public override int GetChars(ReadOnlySpan<byte> bytes, Span<char> chars)
    {
        if (bytes.IsEmpty)
        {
            return 0;
        }

        if (bytes.Length <= LongestNumber && !bytes.ContainsAnyExceptInRange((byte)'0', (byte)'9'))
        {
            return base.GetChars(bytes, chars);
        }

        chars[0] = '?';
        return 1;
    }
}

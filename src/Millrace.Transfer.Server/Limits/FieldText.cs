using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// Decodes field values as UTF-8, and invalid bytes to SUBSTITUTE, which no field or name may have. Kestrel refuses such a
/// header, but answers such a trailer with 500, and reports it as a fault of the application.
/// </summary>
internal sealed class FieldText : UTF8Encoding
{
    public static readonly FieldText Instance = new();

    private const char Substitute = '\u001a';

    private FieldText()
    {
    }

    /// <summary>The one that <see cref="Encoding.GetString(ReadOnlySpan{byte})"/> calls.</summary>
    public override unsafe int GetChars(byte* bytes, int byteCount, char* chars, int charCount)
    {
        int count = base.GetChars(bytes, byteCount, chars, charCount);
        var text = new Span<char>(chars, count);
        text.Replace('\uFFFD', Substitute);
        text.Replace('\0', Substitute);
        return count;
    }
}

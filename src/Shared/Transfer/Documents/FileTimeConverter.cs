using System.Diagnostics;
using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Transfer;

/// <summary>
/// Times of documents as RFC 3339 has them: <c>2023-11-14T22:13:20.250000000Z</c>. The framework's converter keeps seven of the nine
/// digits after the second.
/// </summary>
internal sealed class FileTimeConverter : JsonConverter<FileTime>
{
    /// <summary>Of a time with a fraction of a second.</summary>
    private const int PointAt = 19;

    public override FileTime Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        DateTimeOffset time = reader.GetDateTimeOffset();
        ReadOnlySpan<byte> text = reader.HasValueSequence || reader.ValueIsEscaped ? Encoding.UTF8.GetBytes(reader.GetString()!) : reader.ValueSpan;
        int end = PointAt + 1;
        int nanoseconds = 0;
        if (text.Length > PointAt && text[PointAt] == '.')
        {
            for (int scale = 100_000_000; end < text.Length && char.IsAsciiDigit((char)text[end]); end++, scale /= 10)
            {
                nanoseconds += (text[end] - '0') * scale;
            }
        }

        return new FileTime(time.ToUnixTimeSeconds(), nanoseconds);
    }

    public override void Write(Utf8JsonWriter writer, FileTime value, JsonSerializerOptions options) => Write(writer, value);

    /// <summary>Writes a time, without an object.</summary>
    public static void Write(Utf8JsonWriter writer, FileTime value)
    {
        Span<byte> text = stackalloc byte[30];
        DateTimeOffset second = DateTimeOffset.FromUnixTimeSeconds(value.Seconds);
        bool fits = second.UtcDateTime.TryFormat(text, out int length, "s", CultureInfo.InvariantCulture)
            & value.Nanoseconds.TryFormat(text[(PointAt + 1)..], out int digits, "D9", CultureInfo.InvariantCulture);
        Debug.Assert(fits && length == PointAt && length + digits + 2 == text.Length, "A time of four digits for the year has one length.");
        text[PointAt] = (byte)'.';
        text[^1] = (byte)'Z';
        writer.WriteStringValue(text);
    }
}

using System.Buffers;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Millrace.Lab.Results;

/// <summary>
/// Writes a list of numbers on one line, however the rest is indented: with a line for each, a file of samples is three
/// times as large and no easier to read.
/// </summary>
internal sealed class NumbersOnOneLine<T> : JsonConverter<IReadOnlyList<T>>
    where T : INumber<T>
{
    /// <inheritdoc/>
    public override IReadOnlyList<T> Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options)
    {
        if (reader.TokenType != JsonTokenType.StartArray)
        {
            throw new JsonException("A list of numbers begins with [.");
        }

        var numbers = new List<T>();
        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            numbers.Add(ReadNumber(ref reader, numbers.Count));
        }

        return numbers;
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, IReadOnlyList<T> value, JsonSerializerOptions options)
    {
        var text = new StringBuilder("[");
        for (int i = 0; i < value.Count; i++)
        {
            text.Append(i == 0 ? "" : ", ").Append(CultureInfo.InvariantCulture, $"{value[i]}");
        }

        writer.WriteRawValue(text.Append(']').ToString());
    }

    private static T ReadNumber(ref Utf8JsonReader reader, int index)
    {
        // A number may lie across two pieces of the file.
        ReadOnlySpan<byte> text = reader.HasValueSequence ? reader.ValueSequence.ToArray() : reader.ValueSpan;
        return reader.TokenType == JsonTokenType.Number && T.TryParse(text, CultureInfo.InvariantCulture, out T? number)
            ? number
            : throw new JsonException($"[{index}] is \"{Encoding.UTF8.GetString(text)}\" and no number of the kind that belongs there.");
    }
}

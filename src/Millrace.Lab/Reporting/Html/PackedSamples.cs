using System.Buffers.Binary;
using System.Text.Json;

namespace Millrace.Lab.Reporting.Html;

/// <summary>
/// Samples in two bytes each: four significant digits and one of seven decades, so that all samples of a full run fit into
/// a page. v is (digits - 1000) + 9000 * decade, little-endian, in base 64; the value is digits * 10^(exponent + decade).
/// web/src/samples.ts reads it.
/// </summary>
internal static class PackedSamples
{
    private const int Digits = 1000;
    private const int PerDecade = 9000;
    private const int Decades = 7;

    /// <summary>Writes { "exponent": …, "packed": "…" }, or a plain list where the samples span more than seven decades.</summary>
    public static void Write(Utf8JsonWriter json, IReadOnlyList<double> samples)
    {
        (int Digits, int Exponent)[] parts = [.. samples.Select(Split)];
        int least = parts.Length == 0 ? 0 : parts.Min(part => part.Exponent);
        if (parts.Any(part => part.Digits == 0 || part.Exponent - least >= Decades))
        {
            json.WriteStartArray();
            foreach (double sample in samples)
            {
                json.WriteNumberValue(Significant.Four(sample));
            }

            json.WriteEndArray();
            return;
        }

        byte[] bytes = new byte[2 * parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            int value = parts[i].Digits - Digits + (PerDecade * (parts[i].Exponent - least));
            BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(2 * i), (ushort)value);
        }

        json.WriteStartObject();
        json.WriteNumber("exponent", least);
        json.WriteBase64String("packed", bytes);
        json.WriteEndObject();
    }

    // A value as 1000 to 9999 times a power of ten; 0 digits for what has no such form.
    private static (int Digits, int Exponent) Split(double value)
    {
        if (!(value > 0) || double.IsInfinity(value))
        {
            return (0, 0);
        }

        int exponent = (int)Math.Floor(Math.Log10(value)) - 3;
        int digits = (int)Math.Round(value / Math.Pow(10, exponent));
        return digits switch
        {
            >= Digits * 10 => (digits / 10, exponent + 1),
            < Digits => ((int)Math.Round(value / Math.Pow(10, exponent - 1)), exponent - 1),
            _ => (digits, exponent),
        };
    }
}

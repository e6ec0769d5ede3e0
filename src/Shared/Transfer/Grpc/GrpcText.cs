using System.Buffers;
using System.Text;

namespace Millrace.Transfer;

/// <summary>
/// Percent-encoding of <c>grpc-message</c>: UTF-8, with every byte outside space to tilde, and the percent sign, as
/// <c>%XX</c> ("gRPC over HTTP2", section Responses).
/// </summary>
internal static class GrpcText
{
    // Trailers are bounded by what proxies and peers accept of all of them, 8 KiB most often.
    private const int MaxBytes = 4096;

    private static readonly SearchValues<char> Plain = SearchValues.Create(
        " !\"#$&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~");

    public static string Encode(string text)
    {
        if (text.Length <= MaxBytes && !text.AsSpan().ContainsAnyExcept(Plain))
        {
            return text;
        }

        var coded = new StringBuilder(text.Length + 16);
        foreach (byte value in Encoding.UTF8.GetBytes(text))
        {
            if (coded.Length >= MaxBytes)
            {
                break;
            }

            if (Plain.Contains((char)value))
            {
                coded.Append((char)value);
            }
            else
            {
                coded.Append('%').Append(value.ToString("X2"));
            }
        }

        return coded.ToString();
    }

    /// <summary>Keeps wrongly encoded text as it is: a message is better than none.</summary>
    public static string Decode(string text) => Uri.UnescapeDataString(text);
}

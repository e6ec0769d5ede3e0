using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>Changes valid input into input that is nearly valid, which reaches further than random bytes do.</summary>
internal static class Mutation
{
    // What parsers stumble over: limits of numbers, separators, encodings, and the names and values that our protocols read.
    private static readonly byte[][] _words =
    [
        .. new[]
        {
            "0", "-1", "+5", "00", "1e9", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808",
            "18446744073709551616", "99999999999999999999999999999999999999", "0x10", "?0", "?1", "\"", "\\", ":", ";", ",", "=", "%",
            "%00", "%2e%2e%2f", "%2F", "%c0%af", "%ff", "../", "/", "//", "?", "#", "@", "*", " ", "\t", "\r\n", "\n", "\r", "\0",
            "\r\n\r\n", "\u00ff", "\u0080", "\ud83d", "\u202e", "bytes=", "bytes=-", "chunked", "gzip", "identity", "close",
            "Content-Length: ", "Transfer-Encoding: ", "Trailer: ", "Upload-Length: ", "Upload-Offset: ", "Upload-Complete: ",
            "Upload-Concat: final;", "Expect: 100-continue\r\n", "Range: ", "Host: ", "HTTP/1.0", "HTTP/2.0", "sha-256=:AAAA:", "sha256 ",
            ".millrace", ".millrace-", "CON", "null", "true", "[]", "{}", "[[[[[[[[[[[[[[[[", "\u0000\u0000\u0000\u0000\u0001",
            "\u0001\u0000\u0000\u0000\u0000", "\u007f\u00ff\u00ff\u00ff", "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0001",
        }.Select(Latin),
    ];

    /// <summary>One byte for each character, as all input here is written.</summary>
    public static byte[] Latin(string text) => Encoding.Latin1.GetBytes(text);

    public static byte[] Change(Random random, byte[] valid, int most = 4)
    {
        var bytes = new List<byte>(valid);
        for (int changes = random.Next(most + 1); changes > 0; changes--)
        {
            int at = random.Next(bytes.Count + 1);
            int rest = bytes.Count - at;
            switch (random.Next(8))
            {
                case 0 when rest > 0:
                    bytes[at] ^= (byte)(1 << random.Next(8));
                    break;
                case 1 when rest > 0:
                    bytes[at] = (byte)random.Next(256);
                    break;
                case 2:
                    bytes.RemoveRange(at, Math.Min(rest, random.Next(1, 20)));
                    break;
                case 3:
                    bytes.InsertRange(at, bytes.GetRange(at, Math.Min(rest, random.Next(1, 60))));
                    break;
                case 4:
                    bytes.RemoveRange(at, rest);
                    break;
                case 5:
                    int run = random.Next(5) == 0 ? random.Next(100_000) : random.Next(40);
                    bytes.InsertRange(at, Enumerable.Repeat((byte)random.Next(256), run));
                    break;
                default:
                    byte[] word = random.GetItems(_words, 1)[0];
                    bytes.RemoveRange(at, Math.Min(rest, random.Next(3) == 0 ? word.Length : 0));
                    bytes.InsertRange(at, word);
                    break;
            }
        }

        return [.. bytes];
    }

    public static string Change(Random random, string valid, int most = 3) =>
        Encoding.Latin1.GetString(Change(random, Latin(valid), most));
}

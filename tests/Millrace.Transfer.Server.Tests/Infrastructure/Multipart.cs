using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Takes a body of multipart/byteranges apart, as strictly as RFC 9110 and RFC 2046 allow.</summary>
internal static class Multipart
{
    /// <summary>Its parts, after each was compared with the file.</summary>
    public static List<ByteRange> Parse(HttpResponseMessage response, byte[] body, string mediaType, byte[] file)
    {
        string boundary = response.Content.Headers.ContentType!.Parameters.Single(static p => p.Name == "boundary").Value!;
        string text = Encoding.Latin1.GetString(body);
        string delimiter = $"\r\n--{boundary}";
        Assert.EndsWith($"{delimiter}--\r\n", text, StringComparison.Ordinal);
        var ranges = new List<ByteRange>();
        int at = 0;
        while (!text.AsSpan(at).StartsWith($"{delimiter}--"))
        {
            string head = $"{delimiter}\r\nContent-Type: {mediaType}\r\nContent-Range: bytes ";
            Assert.Equal(head, text.Substring(at, head.Length));
            at += head.Length;
            int end = text.IndexOf("\r\n\r\n", at, StringComparison.Ordinal);
            string[] numbers = text[at..end].Split('-', '/');
            long from = long.Parse(numbers[0], CultureInfo.InvariantCulture);
            long to = long.Parse(numbers[1], CultureInfo.InvariantCulture);
            Assert.Equal(file.Length, long.Parse(numbers[2], CultureInfo.InvariantCulture));
            at = end + 4;
            int length = (int)(to - from + 1);
            Assert.Equal(file[(int)from..(int)(to + 1)], body[at..(at + length)]);
            at += length;
            ranges.Add(new ByteRange(from, length));
        }

        return ranges;
    }
}

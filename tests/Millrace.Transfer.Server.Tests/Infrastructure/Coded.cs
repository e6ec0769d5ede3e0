using System.IO.Compression;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Bytes in a content coding.</summary>
internal static class Coded
{
    public static byte[] Gzip(ReadOnlySpan<byte> content) =>
        With(static stream => new GZipStream(stream, CompressionLevel.SmallestSize, leaveOpen: true), content);

    public static byte[] Brotli(ReadOnlySpan<byte> content) =>
        With(static stream => new BrotliStream(stream, CompressionLevel.Optimal, leaveOpen: true), content);

    public static byte[] In(string coding, ReadOnlySpan<byte> content) => coding switch
    {
        "gzip" or "x-gzip" => Gzip(content),
        "br" => Brotli(content),
        _ => content.ToArray(),
    };

    private static byte[] With(Func<Stream, Stream> open, ReadOnlySpan<byte> content)
    {
        using var all = new MemoryStream();
        using (Stream stream = open(all))
        {
            stream.Write(content);
        }

        return all.ToArray();
    }
}

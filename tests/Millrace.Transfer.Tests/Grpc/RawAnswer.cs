using System.IO.Compression;
using System.Text;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Tests.Framing;

namespace Millrace.Transfer.Tests.Grpc;

/// <summary>Writes answers byte by byte as a test wants them.</summary>
internal static class RawAnswer
{
    public static byte[] Gzip(byte[] message)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
        {
            gzip.Write(message);
        }

        return packed.ToArray();
    }

    public static Chunk File(long length, string tag = "1") =>
        new() { File = new FileVersion { Name = "x", Length = length, Count = length, Tag = tag } };

    public static Chunk Data(byte[] bytes) => new() { Data = ByteString.CopyFrom(bytes) };

    public static Chunk End(long length) => new() { End = new End { Length = length } };

    /// <summary>A whole download in chunks of one size.</summary>
    public static byte[] Download(byte[] content, int chunk = 10_000) =>
    [
        .. Frames.Of(File(content.Length)),
        .. content.Chunk(chunk).SelectMany(piece => Frames.Of(Data(piece))),
        .. Frames.Of(End(content.Length)),
    ];

    /// <summary>Answers in pieces, each sent separately, with the status where the protocol has it.</summary>
    public static async Task WriteAsync(
        HttpContext context, TransferProtocol protocol, IEnumerable<byte[]> pieces, int? status = 0, params (string Name, string Value)[] trailers)
    {
        Begin(context, protocol);
        foreach (byte[] piece in pieces)
        {
            await SendAsync(context, protocol, piece);
        }

        if (status is not { } number)
        {
            return;
        }

        trailers = [("grpc-status", $"{number}"), .. trailers];
        if (protocol == TransferProtocol.Grpc)
        {
            foreach ((string name, string value) in trailers)
            {
                context.Response.AppendTrailer(name, value);
            }

            return;
        }

        string text = string.Concat(trailers.Select(trailer => $"{trailer.Name}:{trailer.Value}\r\n"));
        await SendAsync(context, protocol, Frames.Of(Encoding.ASCII.GetBytes(text), flags: 0x80));
    }

    public static void Begin(HttpContext context, TransferProtocol protocol) => context.Response.ContentType = protocol switch
    {
        TransferProtocol.Grpc => "application/grpc+proto",
        TransferProtocol.GrpcWeb => "application/grpc-web+proto",
        _ => "application/grpc-web-text+proto",
    };

    private static async Task SendAsync(HttpContext context, TransferProtocol protocol, byte[] piece)
    {
        // Each piece is padded separately, as servers do.
        byte[] sent = protocol == TransferProtocol.GrpcWebText ? Encoding.ASCII.GetBytes(Convert.ToBase64String(piece)) : piece;
        await context.Response.Body.WriteAsync(sent, context.RequestAborted);
        await context.Response.Body.FlushAsync(context.RequestAborted);
    }
}

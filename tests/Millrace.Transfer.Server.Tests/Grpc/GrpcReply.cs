using System.Globalization;
using System.IO.Compression;
using System.Net.Http.Headers;
using Google.Protobuf;
using Google.Rpc;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>An answer, taken apart by hand.</summary>
internal sealed class GrpcReply
{
    public required HttpStatusCode HttpStatus { get; init; }

    public required IReadOnlyDictionary<string, string> Headers { get; init; }

    /// <summary>The trailers after the body, or the headers if there are only these.</summary>
    public required IReadOnlyDictionary<string, string> Trailers { get; init; }

    /// <summary>Messages, unpacked.</summary>
    public required IReadOnlyList<byte[]> Messages { get; init; }

    /// <summary>Messages that came with the compressed flag.</summary>
    public int Compressed { get; private init; }

    /// <summary>Whether the status came in one block with the headers.</summary>
    public bool IsTrailersOnly => Headers.ContainsKey("grpc-status");

    public int Status => int.Parse(Trailers["grpc-status"], CultureInfo.InvariantCulture);

    public string Message => GrpcText.Decode(Trailers.GetValueOrDefault("grpc-message", ""));

    public string? Error => Trailers.GetValueOrDefault("millrace-error");

    /// <summary>The one message of an answer.</summary>
    public T Only<T>(MessageParser<T> parser)
        where T : IMessage<T>
    {
        Assert.True(Status == 0, $"{Status}: {Message}");
        return parser.ParseFrom(Assert.Single(Messages));
    }

    /// <summary>Asserts how it ended.</summary>
    public GrpcReply Failed(int status, TransferError? error = null)
    {
        Assert.Equal(HttpStatusCode.OK, HttpStatus);
        Assert.True(Status == status, $"{Status} and not {status}: {Message}");
        string? word = error is { } known ? ErrorCode.Of(known) : null;
        Assert.Equal(word, Error);
        Assert.NotEqual("", Message);
        Google.Rpc.Status details = Details();
        Assert.Equal((status, Message), (details.Code, details.Message));
        Assert.Equal(word is null ? null : JsonNamingPolicy.SnakeCaseUpper.ConvertName(word), DetailOf<ErrorInfo>(details)?.Reason);
        return this;
    }

    /// <summary>A detail of the error model of gRPC; null without one of that kind.</summary>
    public T? DetailOf<T>()
        where T : class, IMessage<T>, new() => DetailOf<T>(Details());

    /// <summary>The file's bytes of a download, which has to be whole.</summary>
    public byte[] Content()
    {
        Assert.True(Status == 0, $"{Status}: {Message}");
        List<(int Number, ulong Value, byte[] Bytes)> chunks = [.. Messages.Select(static message => Assert.Single(Frames.Fields(message)))];
        Assert.Equal(2, chunks[0].Number);
        Assert.Equal(4, chunks[^1].Number);
        Assert.All(chunks[1..^1], static chunk => Assert.Equal(1, chunk.Number));
        byte[] content = Frames.Join([.. chunks[1..^1].Select(static chunk => chunk.Bytes)]);
        Assert.Equal((ulong)content.Length, Frames.Fields(chunks[^1].Bytes).FirstOrDefault(static field => field.Number == 1).Value);
        return content;
    }

    public static async Task<GrpcReply> ReadAsync(HttpResponseMessage response, GrpcForm form)
    {
        byte[] body = await response.Content.ReadAsByteArrayAsync();
        Dictionary<string, string> headers = Of(response.Headers, response.Content.Headers);
        Dictionary<string, string> trailers = headers.ContainsKey("grpc-status") ? headers : Of(response.TrailingHeaders);
        if (!GrpcMediaType.IsAny(response.Content.Headers.ContentType?.MediaType))
        {
            return new GrpcReply { HttpStatus = response.StatusCode, Headers = headers, Trailers = trailers, Messages = [] };
        }

        if (form == GrpcForm.WebText)
        {
            body = FromText(Encoding.ASCII.GetString(body));
        }

        List<(byte Flags, byte[] Message)> frames = Frames.Parse(body);
        if (form != GrpcForm.Http2 && !headers.ContainsKey("grpc-status"))
        {
            Assert.Equal(0x80, frames[^1].Flags);
            trailers = Lines(Encoding.ASCII.GetString(frames[^1].Message));
            frames.RemoveAt(frames.Count - 1);
        }

        return new GrpcReply
        {
            HttpStatus = response.StatusCode,
            Headers = headers,
            Trailers = trailers,
            Messages = [.. frames.Select(static frame => frame.Flags == 0 ? frame.Message : Unpack(frame.Message))],
            Compressed = frames.Count(static frame => frame.Flags == 1),
        };
    }

    private static T? DetailOf<T>(Google.Rpc.Status status)
        where T : class, IMessage<T>, new() =>
        status.Details.Select(static detail => detail.TryUnpack(out T found) ? found : null).FirstOrDefault(static found => found is not null);

    private Google.Rpc.Status Details()
    {
        string text = Trailers["grpc-status-details-bin"];
        return Google.Rpc.Status.Parser.ParseFrom(Convert.FromBase64String(text.PadRight((text.Length + 3) / 4 * 4, '=')));
    }

    /// <summary>Base64 that may be padded anywhere, group by group.</summary>
    private static byte[] FromText(string text)
    {
        Assert.Equal(0, text.Length % 4);
        var bytes = new List<byte>(text.Length);
        for (int at = 0; at < text.Length;)
        {
            int padding = text.IndexOf('=', at);
            int end = padding < 0 ? text.Length : (padding / 4 * 4) + 4;
            bytes.AddRange(Convert.FromBase64String(text[at..end]));
            at = end;
        }

        return [.. bytes];
    }

    private static Dictionary<string, string> Lines(string text)
    {
        Assert.EndsWith("\r\n", text, StringComparison.Ordinal);
        return text[..^2].Split("\r\n").ToDictionary(
            static line => line[..line.IndexOf(':')], static line => line[(line.IndexOf(':') + 1)..].Trim(), StringComparer.Ordinal);
    }

    private static Dictionary<string, string> Of(params HttpHeaders[] headers) =>
        headers.SelectMany(static fields => fields).ToDictionary(
            static field => field.Key, static field => string.Join(',', field.Value), StringComparer.OrdinalIgnoreCase);

    private static byte[] Unpack(byte[] message)
    {
        using var stream = new GZipStream(new MemoryStream(message), CompressionMode.Decompress);
        using var all = new MemoryStream();
        stream.CopyTo(all);
        return all.ToArray();
    }
}

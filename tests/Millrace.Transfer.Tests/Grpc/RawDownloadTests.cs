using System.Buffers.Binary;
using Millrace.Transfer.Tests.Framing;

namespace Millrace.Transfer.Tests.Grpc;

/// <summary>Answers that a test wrote, right ones and wrong ones.</summary>
public sealed class RawDownloadTests
{
    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Chunks_split_anywhere_make_the_file(TransferProtocol protocol)
    {
        byte[] content = Content.Random(200_000);
        foreach (int chunk in (int[])[1, 100, 7000, 100_000])
        {
            byte[] answer = RawAnswer.Download(content[..Math.Min(content.Length, chunk * 500)], chunk);
            foreach (int piece in (int[])[37, 997, 16_384, 50_001])
            {
                if (answer.Length / piece > 2000)
                {
                    continue;
                }

                byte[] got = await GetAsync(protocol, answer.Chunk(piece));

                Assert.True(content.AsSpan(0, got.Length).SequenceEqual(got));
                Assert.Equal(Math.Min(content.Length, chunk * 500), got.Length);
            }
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Compressed_and_plain_messages_may_alternate(TransferProtocol protocol)
    {
        byte[] content = new byte[300_000];
        Content.Random(60_000).CopyTo(content, 100_000);
        byte[][] messages =
        [
            Packed(RawAnswer.File(content.Length)),
            Frames.Of(RawAnswer.Data(content[..50_000])),
            Packed(RawAnswer.Data(content[50_000..290_000])),
            Packed(RawAnswer.Data(content[290_000..])),
            Packed(RawAnswer.End(content.Length)),
        ];

        byte[] got = await GetAsync(
            protocol, messages, context => context.Response.Headers["grpc-encoding"] = "gzip");

        Assert.Equal(content, got);
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Unknown_fields_are_skipped(TransferProtocol protocol)
    {
        byte[] content = Content.Random(1000);

        // Field 100: a number, four bytes, a text, a group; and field 200 alone in a message.
        byte[] unknown = [0xA0, 0x06, 0x96, 0x01, 0xA5, 0x06, 1, 2, 3, 4, 0xA2, 0x06, 3, 1, 2, 3, 0xA3, 0x06, 0xA4, 0x06];
        byte[] answer =
        [
            .. Frames.Of([.. unknown, .. Bytes(RawAnswer.File(content.Length))]),
            .. Frames.Of([.. unknown, .. Bytes(RawAnswer.Data(content)), .. unknown]),
            .. Frames.Of([0xC0, 0x0C, 0x01]),
            .. Frames.Of([]),
            .. Frames.Of([.. Bytes(RawAnswer.End(content.Length)), .. unknown]),
        ];

        Assert.Equal(content, await GetAsync(protocol, [answer]));
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Invalid_streams_of_chunks_are_refused(TransferProtocol protocol)
    {
        byte[] file = Frames.Of(RawAnswer.File(10));
        byte[] data = Frames.Of(RawAnswer.Data(new byte[10]));
        byte[] end = Frames.Of(RawAnswer.End(10));
        (string What, byte[] Answer, TransferError Error)[] wrong =
        [
            ("nothing", [], TransferError.Protocol),
            ("no file", [.. data, .. end], TransferError.Protocol),
            ("two files", [.. file, .. file, .. data, .. end], TransferError.Protocol),
            ("no end", [.. file, .. data], TransferError.Disconnected),
            ("too few bytes", [.. file, .. Frames.Of(RawAnswer.Data(new byte[9])), .. end], TransferError.Protocol),
            ("too many bytes", [.. file, .. data, .. data, .. end], TransferError.Protocol),
            ("another end", [.. file, .. data, .. Frames.Of(RawAnswer.End(11))], TransferError.Protocol),
            ("two ends", [.. file, .. data, .. end, .. end], TransferError.Protocol),
            ("cut in a frame", [.. file, .. data[..^3]], TransferError.Disconnected),
            ("cut in a prefix", [.. file, .. data, 0, 0], TransferError.Disconnected),
            ("a flag that is none", [.. file, .. Frames.Of(Bytes(RawAnswer.Data(new byte[10])), flags: 2)], TransferError.Protocol),
            ("compressed without a coding", [.. file, .. Packed(RawAnswer.Data(new byte[10]))], TransferError.Protocol),
            ("a field beyond its message", [.. file, .. Frames.Of([0x0A, 100, 1])], TransferError.Protocol),
            ("a field without a number", [.. file, .. Frames.Of([0x00, 1])], TransferError.Protocol),
            ("the data twice", [.. file, .. Frames.Of([0x0A, 1, 7, 0x0A, 1, 8])], TransferError.Protocol),
            ("a file that is no message", [.. Frames.Of([0x12, 2, 0xFF, 0xFF])], TransferError.Protocol),
            ("a message that is too large", [.. file, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0x0A], TransferError.TooLarge),
        ];
        foreach ((string what, byte[] answer, TransferError error) in wrong)
        {
            if (protocol != TransferProtocol.Grpc && what.StartsWith("cut", StringComparison.Ordinal))
            {
                // The trailers, which are in the body there, would be taken for the rest of the frame.
                continue;
            }

            TransferException exception = await Assert.ThrowsAsync<TransferException>(
                () => GetAsync(protocol, [answer]));

            Assert.True(error == exception.Error, $"{what}: {exception}");
            Assert.True(exception.IsTransient == (error == TransferError.Disconnected), $"{what}: {exception}");
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Invalid_compression_is_refused(TransferProtocol protocol)
    {
        byte[] file = Frames.Of(RawAnswer.File(100_000_000));
        byte[] packed = RawAnswer.Gzip(Bytes(RawAnswer.Data(new byte[100_000])));
        byte[] broken = [.. packed];
        broken[12] ^= 0x55;
        (string What, byte[] Message, TransferError Error)[] wrong =
        [
            ("no gzip", Bytes(RawAnswer.Data(new byte[10])), TransferError.Protocol),
            ("cut", packed[..(packed.Length / 2)], TransferError.Protocol),
            ("broken", broken, TransferError.Protocol),
            ("grows beyond what is accepted", RawAnswer.Gzip(Bytes(RawAnswer.Data(new byte[20_000_000]))), TransferError.TooLarge),
        ];
        foreach ((string what, byte[] message, TransferError error) in wrong)
        {
            TransferException exception = await Assert.ThrowsAsync<TransferException>(() => GetAsync(
                protocol,
                [[.. file, .. Frames.Of(message, flags: 1)]],
                context => context.Response.Headers["grpc-encoding"] = "gzip"));

            Assert.True(error == exception.Error, $"{what}: {exception}");
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Response_without_a_status_is_refused(TransferProtocol protocol)
    {
        TransferException exception = await Fails.WithAsync(
            TransferError.Protocol, () => GetAsync(protocol, [RawAnswer.Download(new byte[10])], status: null));

        Assert.Contains("without a status", exception.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWebText)]
    public async Task Trailers_in_the_body_may_come_in_any_pieces(TransferProtocol protocol)
    {
        byte[] content = Content.Random(1000);
        byte[] trailers = Frames.Of("Grpc-Status: 0\r\nGRPC-Message: \r\nother:x\r\n"u8.ToArray(), flags: 0x80);

        Assert.Equal(content, await GetAsync(protocol, ((byte[])[.. RawAnswer.Download(content), .. trailers]).Chunk(3), status: null));
    }

    [Theory]
    [InlineData("something behind the trailers", 0x80, 14u, 1)]
    [InlineData("compressed trailers", 0x81, 14u, 0)]
    [InlineData("too large trailers", 0x80, 100_000u, 0)]
    public async Task Invalid_trailers_are_refused(string what, byte flags, uint length, int behind)
    {
        byte[] trailers = Frames.Of("grpc-status:0\n"u8.ToArray(), flags);
        BinaryPrimitives.WriteUInt32BigEndian(trailers.AsSpan(1), length);
        byte[] answer = [.. RawAnswer.Download(new byte[10]), .. trailers, .. new byte[behind]];

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => GetAsync(TransferProtocol.GrpcWeb, [answer], status: null));

        Assert.True(exception.Error == TransferError.Protocol, what);
    }

    [Fact]
    public async Task Invalid_base64_is_refused()
    {
        await using RawServer server = await RawServer.StartAsync(TransferProtocol.GrpcWebText, async context =>
        {
            RawAnswer.Begin(context, TransferProtocol.GrpcWebText);
            await context.Response.Body.WriteAsync("AAAA!!!!AAAA"u8.ToArray());
        });
        using TransferClient client = server.Connect();

        await Fails.WithAsync(TransferError.Protocol, () => client.GetAsync(Clients.Name("x"), Stream.Null));
    }

    [Fact]
    public async Task Download_that_ended_early_resumes()
    {
        byte[] content = Content.Random(50_000);
        int calls = 0;
        await using RawServer server = await RawServer.StartAsync(TransferProtocol.Grpc, context =>
        {
            if (calls++ == 0)
            {
                return RawAnswer.WriteAsync(
                    context, TransferProtocol.Grpc, [Frames.Of(RawAnswer.File(50_000)), Frames.Of(RawAnswer.Data(content[..20_000]))]);
            }

            Messages.Chunk file = RawAnswer.File(50_000);
            file.File.Offset = 20_000;
            file.File.Count = 30_000;
            return RawAnswer.WriteAsync(
                context,
                TransferProtocol.Grpc,
                [Frames.Of(file), Frames.Of(RawAnswer.Data(content[20_000..])), Frames.Of(RawAnswer.End(30_000))]);
        });
        using TransferClient client = server.Connect(options =>
        {
            options.VerifyDigests = false;
            options.MaxAttempts = 3;
        });
        using var got = new MemoryStream();

        TransferResult result = await client.GetAsync(Clients.Name("x"), got);

        Assert.Equal(content, got.ToArray());
        Assert.Equal((2, 50_000), (result.Attempts, result.BytesSent));
    }

    private static byte[] Packed(Google.Protobuf.IMessage message) => Frames.Of(RawAnswer.Gzip(Bytes(message)), flags: 1);

    private static byte[] Bytes(Google.Protobuf.IMessage message) => Google.Protobuf.MessageExtensions.ToByteArray(message);

    private static async Task<byte[]> GetAsync(
        TransferProtocol protocol, IEnumerable<byte[]> pieces, Action<Microsoft.AspNetCore.Http.HttpContext>? prepare = null,
        int? status = 0)
    {
        await using RawServer server = await RawServer.StartAsync(protocol, context =>
        {
            prepare?.Invoke(context);
            return RawAnswer.WriteAsync(context, protocol, pieces, status);
        });
        using TransferClient client = server.Connect(options => options.VerifyDigests = false);
        using var got = new MemoryStream();
        await client.GetAsync(Clients.Name("x"), got);
        return got.ToArray();
    }
}

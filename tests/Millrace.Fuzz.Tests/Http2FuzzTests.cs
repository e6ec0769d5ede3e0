using System.Buffers.Binary;

namespace Millrace.Fuzz.Tests;

/// <summary>Frames of HTTP/2 in any order, with damaged heads, flags, lengths and header blocks.</summary>
public sealed class Http2FuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private const byte Data = 0;
    private const byte Headers = 1;
    private const byte Reset = 3;
    private const byte Settings = 4;
    private const byte WindowUpdate = 8;
    private const byte Continuation = 9;
    private const byte EndStream = 1;
    private const byte EndHeaders = 4;

    private static readonly byte[] _preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    private static readonly (string Method, string Path, string Type)[] _targets =
    [
        ("GET", "/files/a.bin", "text/plain"),
        ("HEAD", "/files/text.txt", "text/plain"),
        ("GET", "/files/?recursive", "text/plain"),
        ("PUT", "/files/h2.bin", "application/octet-stream"),
        ("DELETE", "/files/h2.bin", "text/plain"),
        ("POST", "/uploads", "application/offset+octet-stream"),
        ("POST", "/millrace.v1.FileTransfer/Upload", "application/grpc"),
        ("POST", "/millrace.v1.FileTransfer/List", "application/grpc"),
        ("POST", "/grpc.health.v1.Health/Watch", "application/grpc+proto"),
    ];

    [Fact]
    public Task Server_survives_damaged_frames() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            List<byte[]> frames = [Frame(Settings, 0, 0, Window(random))];
            for (int stream = 1, count = random.Next(1, 6); count > 0; count--, stream += 2)
            {
                frames.AddRange(Request(random, stream));
            }

            if (random.Next(3) == 0)
            {
                random.Shuffle(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(frames));
            }

            for (int i = 0; i < frames.Count; i++)
            {
                if (random.Next(6) == 0)
                {
                    frames[i] = Mutation.Change(random, frames[i], most: 2);
                }
            }

            byte[] all = [.. _preface, .. frames.SelectMany(frame => frame)];
            input.Add(all);
            await server.ExchangeAsync(random, all, server.Http2Port);
        },
        server.CheckAsync);

    private static IEnumerable<byte[]> Request(Random random, int stream)
    {
        (string method, string path, string type) = random.GetItems(_targets, 1)[0];
        byte[] fields =
        [
            .. Field(":method", method), .. Field(":scheme", "http"), .. Field(":authority", "localhost"), .. Field(":path", path),
            .. Field("content-type", type), .. Field("te", "trailers"), .. Field("tus-resumable", "1.0.0"),
        ];
        bool divided = random.Next(5) == 0;
        int half = divided ? random.Next(fields.Length) : fields.Length;
        bool body = method != "HEAD" && random.Next(4) != 0;
        yield return Frame(Headers, (byte)((divided ? 0 : EndHeaders) | (body ? 0 : EndStream)), stream, fields[..half]);
        if (divided)
        {
            yield return Frame(Continuation, EndHeaders, stream, fields[half..]);
        }

        for (int left = body ? random.Next(1, 5) : 0; left > 0; left--)
        {
            byte[] data = random.Next(2) == 0 ? GrpcFuzzTests.Message(random) : Pattern.Of(random.Next(16_000));
            yield return Frame(Data, left == 1 && random.Next(4) != 0 ? EndStream : (byte)0, stream, data);
        }

        switch (random.Next(8))
        {
            case 0:
                yield return Frame(Reset, 0, stream, [0, 0, 0, 8]);
                break;
            case 1:
                byte[] size = new byte[4];
                random.NextBytes(size);
                yield return Frame(WindowUpdate, 0, random.Next(2) == 0 ? 0 : stream, size);
                break;
            case 2: // Trailers.
                yield return Frame(Headers, EndHeaders | EndStream, stream, Field("repr-digest", Mutation.Change(random, "sha-256=:AAAA:")));
                break;
            default:
                break;
        }
    }

    // SETTINGS_INITIAL_WINDOW_SIZE, sometimes 0: a client that reads nothing.
    private static byte[] Window(Random random)
    {
        byte[] setting = new byte[6];
        setting[1] = 4;
        BinaryPrimitives.WriteInt32BigEndian(setting.AsSpan(2), random.GetItems([0, 1, 65_535, int.MaxValue], 1)[0]);
        return setting;
    }

    // RFC 9113, section 4.1.
    private static byte[] Frame(byte type, byte flags, int stream, byte[] payload)
    {
        byte[] frame = new byte[9 + payload.Length];
        frame[0] = (byte)(payload.Length >> 16);
        BinaryPrimitives.WriteUInt16BigEndian(frame.AsSpan(1), (ushort)payload.Length);
        frame[3] = type;
        frame[4] = flags;
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(5), stream);
        payload.CopyTo(frame, 9);
        return frame;
    }

    // RFC 7541, section 6.2.3: a literal that is never indexed, with a new name; all here are shorter than 127 bytes.
    private static byte[] Field(string name, string value) =>
        [0x10, (byte)(name.Length & 0x7f), .. Mutation.Latin(name), (byte)(value.Length & 0x7f), .. Mutation.Latin(value)];
}

using System.Buffers.Binary;
using System.Text;

namespace Millrace.Fuzz.Tests;

/// <summary>
/// Messages and their frames, over gRPC-Web on HTTP/1.1, where every byte can be changed: the answer is always a status of
/// gRPC, and never a failure of the server.
/// </summary>
public sealed class GrpcFuzzTests(FuzzedServer server) : IClassFixture<FuzzedServer>
{
    private static readonly string[] _calls =
    [
        "Stat", "List", "Download", "Upload", "Delete", "StartUpload", "UploadPart", "QueryUpload", "CommitUpload", "AbortUpload",
    ];

    private static readonly string[] _statusInBase64 = ["Z3JwYy1zdGF0dXM", "dycGMtc3RhdHVz", "ncnBjLXN0YXR1c"];

    [Fact]
    public Task Server_answers_damaged_messages_with_a_status() => Fuzzing.RunAsync(
        async (random, input) =>
        {
            byte[] body = [.. Enumerable.Range(0, random.Next(1, 4)).SelectMany(_ => Message(random))];
            body = random.Next(2) == 0 ? Mutation.Change(random, body) : body;
            bool text = random.Next(3) == 0;
            if (text)
            {
                body = Encoding.ASCII.GetBytes(Convert.ToBase64String(body));
                body = random.Next(3) == 0 ? Mutation.Change(random, body, most: 1) : body;
            }

            string head = $"POST /millrace.v1.FileTransfer/{random.GetItems(_calls, 1)[0]} HTTP/1.1\r\nHost: localhost\r\n"
                + $"Content-Type: application/grpc-web{(text ? "-text" : "")}+proto\r\nX-Grpc-Web: 1\r\nConnection: close\r\n"
                + (random.Next(8) == 0 ? "grpc-encoding: gzip\r\n" : "")
                + (random.Next(8) == 0 ? $"grpc-timeout: {Mutation.Change(random, "100m", 1).ReplaceLineEndings("")}\r\n" : "")
                + $"Content-Length: {body.Length}\r\n\r\n";
            byte[] request = [.. Mutation.Latin(head), .. body];
            input.Add(request);
            byte[] response = await server.ExchangeAsync(random, request, whole: true);
            if (FuzzedServer.Status(response) == 200)
            {
                Assert.True(HasStatus(response, text), Encoding.Latin1.GetString(response));
            }
        },
        server.CheckAsync);

    /// <summary>A message in its frame, valid or with fields that no caller would send.</summary>
    internal static byte[] Message(Random random)
    {
        byte[] message = Fields(random, depth: 0);
        byte[] frame = new byte[5 + message.Length];
        frame[0] = (byte)(random.Next(12) == 0 ? random.Next(256) : 0);
        BinaryPrimitives.WriteInt32BigEndian(frame.AsSpan(1), message.Length);
        message.CopyTo(frame, 5);
        return frame;
    }

    // Our messages use the fields 1 to 7 and 15: names, numbers, digests, messages in messages. The wire types are right more
    // often than not. https://protobuf.dev/programming-guides/encoding/
    private static byte[] Fields(Random random, int depth)
    {
        var bytes = new List<byte>();
        for (int count = random.Next(6); count > 0; count--)
        {
            int field = random.Next(10) == 0 ? random.Next(1, 20) : random.Next(1, 8);
            switch (random.Next(depth < 3 ? 6 : 5))
            {
                case 0:
                    bytes.Add((byte)(field << 3));
                    Number(bytes, (ulong)random.GetItems([0L, 1, 5, 100, 99_999, 100_001, long.MaxValue, -1, long.MinValue], 1)[0]);
                    break;
                case 1:
                    Bytes(bytes, field, Mutation.Latin(random.GetItems(["a.bin", "sub", "grpc.bin", "../secret.txt", "sub/b.txt", "\u00ff"], 1)[0]));
                    break;
                case 2:
                    Bytes(bytes, field, Pattern.Of(random.Next(3) == 0 ? 32 : random.Next(5000)));
                    break;
                case 3:
                    bytes.Add((byte)((field << 3) | random.Next(8)));
                    break;
                case 4:
                    Bytes(bytes, field, []);
                    break;
                default:
                    Bytes(bytes, field, Fields(random, depth + 1));
                    break;
            }
        }

        return [.. bytes];
    }

    private static void Bytes(List<byte> bytes, int field, byte[] value)
    {
        Number(bytes, (uint)((field << 3) | 2));
        Number(bytes, (ulong)value.Length);
        bytes.AddRange(value);
    }

    private static void Number(List<byte> bytes, ulong value)
    {
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        bytes.Add((byte)value);
    }

    // In the head when nothing was sent before it, otherwise in the last frame of the body; of text, frame by frame in base64.
    private static bool HasStatus(byte[] response, bool text)
    {
        string all = Encoding.Latin1.GetString(response);
        if (all.Contains("grpc-status:", StringComparison.OrdinalIgnoreCase))
        {
            return true;
        }

        // In base64 "grpc-status" looks different at each of the three positions of a group.
        return text && _statusInBase64.Any(word => all.Contains(word, StringComparison.Ordinal));
    }
}

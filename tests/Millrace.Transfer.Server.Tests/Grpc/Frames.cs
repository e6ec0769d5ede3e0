using System.Buffers.Binary;
using Google.Protobuf;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Bytes of gRPC, put together by hand from its specification, so that nothing of the library's own writes them.</summary>
internal static class Frames
{
    /// <summary>A message with its prefix.</summary>
    public static byte[] Of(ReadOnlySpan<byte> message, byte flags = 0)
    {
        byte[] frame = new byte[5 + message.Length];
        frame[0] = flags;
        BinaryPrimitives.WriteUInt32BigEndian(frame.AsSpan(1), (uint)message.Length);
        message.CopyTo(frame.AsSpan(5));
        return frame;
    }

    public static byte[] Of(IMessage message) => Of(message.ToByteArray());

    /// <summary>A chunk with a file's bytes.</summary>
    public static byte[] Data(ReadOnlySpan<byte> content) => Of(Field(1, content));

    /// <summary>The same as several chunks.</summary>
    public static byte[] Data(byte[] content, int chunk) => Join([.. content.Chunk(chunk).Select(static part => Data(part))]);

    /// <summary>The first chunk of an upload to a name.</summary>
    public static byte[] Head(string name) => Of(Field(3, Field(1, Encoding.UTF8.GetBytes(name))));

    /// <summary>The first chunk of one that continues.</summary>
    public static byte[] Head(string upload, long offset, bool commit = false) => Of(Field(3, Join(
        Field(5, Encoding.ASCII.GetBytes(upload)), Number(6, (ulong)offset), commit ? Number(7, 1) : [])));

    /// <summary>The last chunk.</summary>
    public static byte[] End(long length, byte[]? sha256 = null) =>
        Of(Field(4, Join(Number(1, (ulong)length), sha256 is null ? [] : Field(2, sha256))));

    /// <summary>A whole upload.</summary>
    public static byte[] Upload(string name, byte[] content, int chunk = 65_536) =>
        Join(Head(name), Data(content, chunk), End(content.Length));

    public static byte[] Download(string name) => Of(Field(1, Encoding.UTF8.GetBytes(name)));

    /// <summary>A field with bytes in it.</summary>
    public static byte[] Field(int number, ReadOnlySpan<byte> content) =>
        [.. Varint(((ulong)number << 3) | 2), .. Varint((ulong)content.Length), .. content];

    /// <summary>A field with a number in it.</summary>
    public static byte[] Number(int number, ulong value) => [.. Varint((ulong)number << 3), .. Varint(value)];

    public static byte[] Join(params byte[][] parts) => [.. parts.SelectMany(static part => part)];

    public static byte[] Varint(ulong value)
    {
        var bytes = new List<byte>();
        for (; value >= 0x80; value >>= 7)
        {
            bytes.Add((byte)(value | 0x80));
        }

        bytes.Add((byte)value);
        return [.. bytes];
    }

    /// <summary>Takes frames apart.</summary>
    public static List<(byte Flags, byte[] Message)> Parse(byte[] body)
    {
        var frames = new List<(byte, byte[])>();
        for (int at = 0; at < body.Length;)
        {
            Assert.True(body.Length - at >= 5, "A frame ends within its prefix.");
            int length = (int)BinaryPrimitives.ReadUInt32BigEndian(body.AsSpan(at + 1));
            Assert.True(body.Length - at - 5 >= length, "A frame ends within its message.");
            frames.Add((body[at], body[(at + 5)..(at + 5 + length)]));
            at += 5 + length;
        }

        return frames;
    }

    /// <summary>The fields of a message: numbers as they are, and bytes.</summary>
    public static List<(int Number, ulong Value, byte[] Bytes)> Fields(byte[] message)
    {
        var fields = new List<(int, ulong, byte[])>();
        for (int at = 0; at < message.Length;)
        {
            ulong tag = ReadVarint(message, ref at);
            ulong value = ReadVarint(message, ref at);
            Assert.True((tag & 7) is 0 or 2);
            byte[] bytes = (tag & 7) == 2 ? message[at..(at + (int)value)] : [];
            at += bytes.Length;
            fields.Add(((int)(tag >> 3), value, bytes));
        }

        return fields;
    }

    private static ulong ReadVarint(byte[] message, ref int at)
    {
        ulong value = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte next = message[at++];
            value |= (ulong)(next & 0x7f) << shift;
            if (next < 0x80)
            {
                return value;
            }
        }
    }
}

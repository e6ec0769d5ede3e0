using System.Buffers;
using System.Buffers.Binary;
using System.Buffers.Text;
using System.IO.Compression;
using Google.Protobuf;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// gRPC as applications write it that know messages and no pipes: each message of a file is gathered in an array, encoded
/// into others where it has to be, and written; or read into an array, decoded, and written to the file.
/// </summary>
internal static class MessageArrays
{
    /// <summary>The frame that ends a body of gRPC-Web, in place of trailers.</summary>
    private const byte TrailerFlag = 0x80;
    private const byte GzipFlag = 1;
    private const int PrefixBytes = 5;

    /// <summary>The prefix of a frame, and in the message the tag and the length of its only field.</summary>
    private const int MaxHeaderBytes = PrefixBytes + 1 + 5;
    private const byte DataTag = (1 << 3) | 2;

    // Of a text the first quads have the prefix and a byte of what follows.
    private const int TextPrefixChars = 8;
    private const int TextPrefixBytes = 6;

    /// <summary>Sends a file, or as much of it as one request takes, in messages.</summary>
    /// <returns>Bytes of the file.</returns>
    public static async Task<long> SendAsync(Stream file, Stream body, MessageForm form, int messageBytes, long bytes)
    {
        long left = bytes;
        while (left > 0)
        {
            int room = (int)Math.Min(messageBytes, left);
            byte[] message = form.Take(MaxHeaderBytes + room);
            int read = await file.ReadAtLeastAsync(message.AsMemory(MaxHeaderBytes, room), room, throwOnEndOfStream: false).ConfigureAwait(false);
            if (read > 0)
            {
                await WriteAsync(message, read, body, form).ConfigureAwait(false);
            }

            form.Return(message);
            left -= read;
            if (read < room)
            {
                break;
            }
        }

        return bytes - left;
    }

    public static async Task EndAsync(Stream body, MessageForm form)
    {
        byte[] frame = [TrailerFlag, 0, 0, 0, 15, .. "grpc-status:0\r\n"u8];
        await body.WriteAsync(form.IsText ? System.Text.Encoding.ASCII.GetBytes(Convert.ToBase64String(frame)) : frame).ConfigureAwait(false);
    }

    /// <summary>Writes the bytes of received messages to a file.</summary>
    /// <returns>Bytes of the file, and whether a frame with trailers came.</returns>
    public static async Task<(long Bytes, bool HasTrailers)> ReceiveAsync(Stream body, PipeWriter file, MessageForm form)
    {
        long bytes = 0;
        byte[] prefix = new byte[TextPrefixChars];
        int prefixBytes = form.IsText ? TextPrefixChars : PrefixBytes;
        while (await body.ReadAtLeastAsync(prefix.AsMemory(0, prefixBytes), prefixBytes, throwOnEndOfStream: false).ConfigureAwait(false) is var read and > 0)
        {
            if (read < prefixBytes)
            {
                throw new InvalidDataException("The body ends within a message.");
            }

            if (form.IsText)
            {
                Base64.DecodeFromUtf8InPlace(prefix, out _);
            }

            (byte[] message, int length) = await ReadAsync(body, prefix, form).ConfigureAwait(false);
            if (prefix[0] == TrailerFlag)
            {
                form.Return(message);
                return (bytes, true);
            }

            if (prefix[0] == GzipFlag)
            {
                byte[] compressed = message;
                (message, length) = Unpack(compressed, length, form);
                form.Return(compressed);
            }

            Memory<byte> data = message.AsMemory(HeaderBytes(message), length - HeaderBytes(message));
            await file.WriteAsync(data).ConfigureAwait(false);
            bytes += data.Length;
            form.Return(message);
        }

        return (bytes, false);
    }

    private static async ValueTask WriteAsync(byte[] message, int data, Stream body, MessageForm form)
    {
        int lengthBytes = CodedOutputStream.ComputeLengthSize(data);
        int start = MaxHeaderBytes - lengthBytes - 1 - PrefixBytes;
        int bytes = 1 + lengthBytes + data;
        message[start + PrefixBytes] = DataTag;
        int at = start + PrefixBytes + 1;
        for (uint rest = (uint)data; at < MaxHeaderBytes; rest >>= 7)
        {
            message[at++] = (byte)(rest > 0x7F ? rest | 0x80 : rest);
        }

        WritePrefix(message.AsSpan(start), 0, bytes);
        if (!form.IsGzip)
        {
            await WriteFrameAsync(message.AsMemory(start, PrefixBytes + bytes), body, form).ConfigureAwait(false);
            return;
        }

        // At its fastest, deflate makes random bytes a sixteenth longer.
        byte[] packed = form.Take(PrefixBytes + bytes + (bytes / 8) + 64);
        using var memory = new MemoryStream(packed, PrefixBytes, packed.Length - PrefixBytes);
        using (var gzip = new GZipStream(memory, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(message, start + PrefixBytes, bytes);
        }

        WritePrefix(packed, GzipFlag, (int)memory.Position);
        await WriteFrameAsync(packed.AsMemory(0, PrefixBytes + (int)memory.Position), body, form).ConfigureAwait(false);
        form.Return(packed);
    }

    private static async ValueTask WriteFrameAsync(ReadOnlyMemory<byte> frame, Stream body, MessageForm form)
    {
        if (form.IsText)
        {
            byte[] text = form.Take(Base64.GetMaxEncodedToUtf8Length(frame.Length));
            Base64.EncodeToUtf8(frame.Span, text, out _, out int chars);
            await body.WriteAsync(text.AsMemory(0, chars)).ConfigureAwait(false);
            form.Return(text);
        }
        else
        {
            await body.WriteAsync(frame).ConfigureAwait(false);
        }

        // A message is sent when it is made.
        await body.FlushAsync().ConfigureAwait(false);
    }

    private static async ValueTask<(byte[] Message, int Bytes)> ReadAsync(Stream body, byte[] prefix, MessageForm form)
    {
        int bytes = (int)BinaryPrimitives.ReadUInt32BigEndian(prefix.AsSpan(1));
        if (!form.IsText)
        {
            byte[] message = form.Take(bytes);
            await body.ReadExactlyAsync(message.AsMemory(0, bytes)).ConfigureAwait(false);
            return (message, bytes);
        }

        int chars = Base64.GetMaxEncodedToUtf8Length(PrefixBytes + bytes) - TextPrefixChars;
        byte[] text = form.Take(1 + chars);
        text[0] = prefix[TextPrefixBytes - 1];
        await body.ReadExactlyAsync(text.AsMemory(1, chars)).ConfigureAwait(false);
        if (Base64.DecodeFromUtf8InPlace(text.AsSpan(1, chars), out int decoded) != OperationStatus.Done || decoded != bytes - 1)
        {
            throw new InvalidDataException("A message is not in base64.");
        }

        return (text, bytes);
    }

    private static (byte[] Message, int Bytes) Unpack(byte[] compressed, int bytes, MessageForm form)
    {
        // gzip ends with the uncompressed length (RFC 1952, 2.3.1).
        int length = BinaryPrimitives.ReadInt32LittleEndian(compressed.AsSpan(bytes - sizeof(int)));
        byte[] message = form.Take(length);
        using var gzip = new GZipStream(new MemoryStream(compressed, 0, bytes), CompressionMode.Decompress);
        gzip.ReadExactly(message, 0, length);
        return (message, length);
    }

    public static long BytesOf(int data, MessageForm form)
    {
        int frame = PrefixBytes + 1 + CodedOutputStream.ComputeLengthSize(data) + data;
        return form.IsText ? Base64.GetMaxEncodedToUtf8Length(frame) : frame;
    }

    private static void WritePrefix(Span<byte> frame, byte flags, int bytes)
    {
        frame[0] = flags;
        BinaryPrimitives.WriteUInt32BigEndian(frame[1..], (uint)bytes);
    }

    /// <summary>Bytes of the tag and the length in front of a message's data.</summary>
    private static int HeaderBytes(byte[] message)
    {
        int length = 1;
        while (message[length] >= 0x80)
        {
            length++;
        }

        return message[0] == DataTag ? length + 1 : throw new InvalidDataException("A message has another field than data.");
    }
}

/// <summary>Where the array of a message comes from.</summary>
internal enum MessageArray
{
    None,
    Rented,

    /// <summary>Every message is a new array: what message-oriented libraries do.</summary>
    New,
}

/// <summary>How both ends of an array row make their messages.</summary>
internal readonly record struct MessageForm(MessageArray Array, bool IsText, bool IsGzip)
{
    public byte[] Take(int bytes) => Array == MessageArray.Rented ? ArrayPool<byte>.Shared.Rent(bytes) : new byte[bytes];

    public void Return(byte[] array)
    {
        if (Array == MessageArray.Rented)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }
}

using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Text;

namespace Millrace.Testing;

/// <summary>A frame of HTTP/2 (RFC 9113, section 4.1).</summary>
/// <param name="Type">One of the types of <see cref="RawHttp2"/>, or any other.</param>
/// <param name="Flags">The flags, which mean different things in each type.</param>
/// <param name="Stream">The stream; 0 for the connection.</param>
/// <param name="Payload">What follows the nine bytes of the head.</param>
public readonly record struct Http2Frame(byte Type, byte Flags, int Stream, ReadOnlyMemory<byte> Payload)
{
    /// <summary>The four bytes of a RST_STREAM or WINDOW_UPDATE.</summary>
    public int Number => BinaryPrimitives.ReadInt32BigEndian(Payload.Span);

    /// <summary>The error code of a RST_STREAM or GOAWAY.</summary>
    public int ErrorCode => BinaryPrimitives.ReadInt32BigEndian(Payload.Span[(Type == RawHttp2.GoAway ? 4 : 0)..]);
}

/// <summary>
/// A connection of HTTP/2 without TLS on which exactly those frames are sent that a test wants, which no HTTP client would send.
/// It never opens the window for responses again: a server can send as many bytes as <see cref="OpenAsync"/> allows.
/// </summary>
public sealed class RawHttp2 : IDisposable
{
    public const byte Data = 0;
    public const byte Headers = 1;
    public const byte Priority = 2;
    public const byte ResetStream = 3;
    public const byte Settings = 4;
    public const byte PushPromise = 5;
    public const byte Ping = 6;
    public const byte GoAway = 7;
    public const byte WindowUpdate = 8;
    public const byte Continuation = 9;

    public const byte EndStream = 1;
    public const byte Acknowledge = 1;
    public const byte EndHeaders = 4;
    public const byte Padded = 8;
    public const byte HasPriority = 32;

    /// <summary>Bytes of the largest payload that every server accepts.</summary>
    public const int LargestPayload = 16_384;

    private const int HeadBytes = 9;
    private const short InitialWindowSize = 4;

    private readonly TcpClient _client = new(AddressFamily.InterNetwork) { NoDelay = true };

    // TcpClient returns it only while it takes itself for connected, which ends with a reset.
    private NetworkStream _stream = null!;
    private readonly ConcurrentDictionary<int, long> _windows = new();
    private long _initialWindow = 65_535;

    private RawHttp2() => _windows[0] = 65_535;

    /// <summary>Bytes of DATA that the server accepts now on a stream, and on the whole connection. Up to date after <see cref="ReadAsync"/>.</summary>
    public long WindowOf(int stream) => Math.Min(_windows[0], _windows.GetOrAdd(stream, 0) + _initialWindow);

    /// <summary>Bytes that the system has received and the test has not read.</summary>
    public int Available => _client.Available;

    /// <summary>Connects and exchanges settings.</summary>
    /// <param name="port">The port on this machine.</param>
    /// <param name="window">Bytes that the server may send on each stream.</param>
    /// <param name="receiveBuffer">Bytes that the system receives before they are read; 0 for its own choice.</param>
    /// <param name="from">One of this machine's addresses; null for the usual one.</param>
    public static async Task<RawHttp2> OpenAsync(int port, int window = 65_535, int receiveBuffer = 0, IPAddress? from = null)
    {
        var connection = new RawHttp2();
        if (from is not null)
        {
            connection._client.Client.Bind(new IPEndPoint(from, 0));
        }

        if (receiveBuffer > 0)
        {
            connection._client.ReceiveBufferSize = receiveBuffer;
        }

        await connection._client.ConnectAsync(IPAddress.Loopback, port).Soon();
        connection._stream = connection._client.GetStream();
        byte[] settings = new byte[6];
        BinaryPrimitives.WriteInt16BigEndian(settings, InitialWindowSize);
        BinaryPrimitives.WriteInt32BigEndian(settings.AsSpan(2), window);
        await connection.SendAsync("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray());
        await connection.SendAsync(new Http2Frame(Settings, 0, 0, settings));
        await connection.SendAsync(new Http2Frame(Settings, Acknowledge, 0, default));
        return connection;
    }

    /// <summary>Sends bytes that need not be a frame; false when the server has closed the connection.</summary>
    public async Task<bool> SendAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            await _stream.WriteAsync(bytes).Soon();
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Sends a frame; false when the server has closed the connection.</summary>
    public Task<bool> SendAsync(in Http2Frame frame)
    {
        if (frame.Type == Data)
        {
            Spend(0, frame.Payload.Length);
            Spend(frame.Stream, frame.Payload.Length);
        }

        byte[] bytes = new byte[HeadBytes + frame.Payload.Length];
        BinaryPrimitives.WriteInt32BigEndian(bytes, frame.Payload.Length << 8);
        bytes[3] = frame.Type;
        bytes[4] = frame.Flags;
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(5), frame.Stream);
        frame.Payload.CopyTo(bytes.AsMemory(HeadBytes));
        return SendAsync(bytes);
    }

    /// <summary>Begins a request.</summary>
    /// <param name="stream">An odd number above those before.</param>
    /// <param name="method">The method.</param>
    /// <param name="path">The path with its query.</param>
    /// <param name="end">Whether the request ends with its fields.</param>
    /// <param name="fields">Further fields, with names in lower case.</param>
    public Task<bool> RequestAsync(int stream, string method, string path, bool end, params (string Name, string Value)[] fields)
    {
        byte[] block = Block([(":method", method), (":scheme", "http"), (":path", path), (":authority", "localhost"), .. fields]);
        return SendAsync(new Http2Frame(Headers, (byte)(EndHeaders | (end ? EndStream : 0)), stream, block));
    }

    /// <summary>A block of fields, as RFC 7541 encodes them.</summary>
    public static byte[] Block(params (string Name, string Value)[] fields)
    {
        var block = new MemoryStream();
        foreach ((string name, string value) in fields)
        {
            // A literal field without indexing and with a new name: RFC 7541, section 6.2.2.
            block.WriteByte(0);
            WriteText(block, name);
            WriteText(block, value);
        }

        return block.ToArray();
    }

    /// <summary>Reads the next frame; null when the server has closed the connection.</summary>
    public async Task<Http2Frame?> ReadAsync()
    {
        byte[] head = new byte[HeadBytes];
        try
        {
            await _stream.ReadExactlyAsync(head).Soon();
            byte[] payload = new byte[BinaryPrimitives.ReadInt32BigEndian(head) >> 8];
            await _stream.ReadExactlyAsync(payload).Soon();
            var frame = new Http2Frame(head[3], head[4], BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(5)), payload);
            Observe(frame);
            return frame;
        }
        catch (Exception exception) when (exception is IOException or ObjectDisposedException)
        {
            return null;
        }
    }

    /// <summary>Reads up to the first frame of a type, on a stream if one is given; null when there is none before the end.</summary>
    public async Task<Http2Frame?> ReadUntilAsync(byte type, int? stream = null)
    {
        Http2Frame? frame;
        do
        {
            frame = await ReadAsync();
        }
        while (frame is { } other && (other.Type != type || (stream is { } wanted && other.Stream != wanted)));
        return frame;
    }

    /// <summary>Reads until the server closes the connection.</summary>
    public async Task ReadToEndAsync()
    {
        while (await ReadAsync() is not null)
        {
        }
    }

    public void Dispose() => _client.Dispose();

    private static void WriteText(MemoryStream block, string text)
    {
        // An integer with a prefix of seven bits: RFC 7541, section 5.1.
        byte[] bytes = Encoding.Latin1.GetBytes(text);
        int rest = bytes.Length - 127;
        block.WriteByte((byte)Math.Min(bytes.Length, 127));
        for (; rest >= 128; rest >>= 7)
        {
            block.WriteByte((byte)(rest | 128));
        }

        if (bytes.Length >= 127)
        {
            block.WriteByte((byte)rest);
        }

        block.Write(bytes);
    }

    private void Observe(in Http2Frame frame)
    {
        if (frame.Type == WindowUpdate)
        {
            Spend(frame.Stream, -frame.Number);
        }

        for (int i = 0; frame.Type == Settings && i + 6 <= frame.Payload.Length; i += 6)
        {
            if (BinaryPrimitives.ReadInt16BigEndian(frame.Payload.Span[i..]) == InitialWindowSize)
            {
                _initialWindow = BinaryPrimitives.ReadInt32BigEndian(frame.Payload.Span[(i + 2)..]);
            }
        }
    }

    /// <summary>A stream's window is kept as the difference from the initial one, which settings can change.</summary>
    private void Spend(int stream, int bytes) => _windows.AddOrUpdate(stream, -bytes, (_, window) => window - bytes);
}

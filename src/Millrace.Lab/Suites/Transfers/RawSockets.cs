using System.Buffers.Binary;
using System.Net.Sockets;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// What moving a file between two processes costs at least: each end has one aligned block, one reads and sends, the other
/// receives and writes. A request is the direction, the length, the block's length and a name; an upload is answered with a byte.
/// </summary>
internal static unsafe class RawMove
{
    /// <summary>Where the server's other end returns the address of this one.</summary>
    public const string AskPath = "raw";
    public const byte Download = 1;
    public const byte Upload = 2;
    public const int RequestBytes = 128;
    private const int LengthAt = 8;
    private const int BlockAt = 16;
    private const int NameAt = 24;

    public static void Write(Span<byte> request, byte direction, long length, int block, string name)
    {
        request.Clear();
        request[0] = direction;
        BinaryPrimitives.WriteInt64LittleEndian(request[LengthAt..], length);
        BinaryPrimitives.WriteInt32LittleEndian(request[BlockAt..], block);
        Encoding.UTF8.GetBytes(name, request[NameAt..]);
    }

    public static (byte Direction, long Length, int Block, string Name) Read(ReadOnlySpan<byte> request) => (
        request[0],
        BinaryPrimitives.ReadInt64LittleEndian(request[LengthAt..]),
        BinaryPrimitives.ReadInt32LittleEndian(request[BlockAt..]),
        Encoding.UTF8.GetString(request[NameAt..].TrimEnd((byte)0)));

    [SupportedOSPlatform("linux")]
    public static void SendFile(string path, long length, AlignedBlock memory, int block, SafeHandle socket)
    {
        using SafeFileHandle file = LinuxCalls.OpenRead(path);
        for (long at = 0; at < length;)
        {
            int read = LinuxCalls.Read(file, memory.Start, (int)Math.Min(block, length - at), at);
            if (read == 0)
            {
                throw new EndOfStreamException($"{path} has {at:N0} bytes instead of {length:N0}.");
            }

            LinuxCalls.SendAll(socket, memory.Start, read);
            at += read;
        }
    }

    // A whole block before it is written, so that memory and file stay in step.
    [SupportedOSPlatform("linux")]
    public static void ReceiveFile(string path, long length, AlignedBlock memory, int block, SafeHandle socket)
    {
        using SafeFileHandle file = LinuxCalls.OpenNew(path);
        for (long at = 0; at < length;)
        {
            int bytes = (int)Math.Min(block, length - at);
            if (!LinuxCalls.ReceiveAll(socket, memory.Start, bytes))
            {
                throw new EndOfStreamException("The other end closed the connection within a transfer.");
            }

            LinuxCalls.WriteAll(file, memory.Start, bytes);
            at += bytes;
        }
    }
}

/// <summary>The client's end. Its connection stays open between transfers, as that of an HttpClient does.</summary>
internal sealed unsafe class RawClient : IDisposable
{
    private readonly Socket _socket;
    private readonly AlignedBlock _memory;
    private readonly int _block;

    private RawClient(Socket socket, int block)
    {
        _socket = socket;
        _block = block;
        _memory = new AlignedBlock(block);
    }

    /// <param name="other">Where the server's other end answers.</param>
    public static RawClient Connect(Uri other, int block)
    {
        string answer = Question.Ask(new Uri(other, RawMove.AskPath));
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Connect(IPEndPoint.Parse(answer));
        return new RawClient(socket, block);
    }

    [SupportedOSPlatform("linux")]
    public void Download(TestFile file, string path)
    {
        Ask(RawMove.Download, file.Bytes, Path.GetFileName(file.Path));
        RawMove.ReceiveFile(path, file.Bytes, _memory, _block, _socket.SafeHandle);
    }

    [SupportedOSPlatform("linux")]
    public void Upload(TestFile file, string name)
    {
        Ask(RawMove.Upload, file.Bytes, name);
        RawMove.SendFile(file.Path, file.Bytes, _memory, _block, _socket.SafeHandle);
        byte done;
        if (!LinuxCalls.ReceiveAll(_socket.SafeHandle, &done, 1))
        {
            throw new EndOfStreamException("The server closed the connection before it had the file.");
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _memory.Dispose();
    }

    [SupportedOSPlatform("linux")]
    private void Ask(byte direction, long length, string name)
    {
        byte* request = stackalloc byte[RawMove.RequestBytes];
        RawMove.Write(new Span<byte>(request, RawMove.RequestBytes), direction, length, _block, name);
        LinuxCalls.SendAll(_socket.SafeHandle, request, RawMove.RequestBytes);
    }
}

/// <summary>The server's end: a thread for each connection.</summary>
[SupportedOSPlatform("linux")]
internal sealed unsafe class RawServer : IDisposable
{
    private readonly Socket _listener;
    private readonly string _folder;

    private RawServer(Socket listener, string folder)
    {
        _listener = listener;
        _folder = folder;
    }

    public static RawServer Start(string folder, IPAddress address)
    {
        var listener = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(address, 0));
        listener.Listen();
        var server = new RawServer(listener, folder);
        new Thread(server.Accept) { IsBackground = true, Name = "raw server" }.Start();
        return server;
    }

    public void Map(IEndpointRouteBuilder endpoints) => endpoints.MapMethods(
        "/" + RawMove.AskPath, [HttpMethods.Get], context => context.Response.WriteAsync($"{_listener.LocalEndPoint}"));

    /// <summary>Ends the listener; connections end when their clients close them.</summary>
    public void Dispose() => _listener.Dispose();

    private void Accept()
    {
        try
        {
            while (true)
            {
                Socket connection = _listener.Accept();
                connection.NoDelay = true;
                new Thread(() => Serve(connection)) { IsBackground = true, Name = "raw connection" }.Start();
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The listener was disposed of.
        }
    }

    private void Serve(Socket connection)
    {
        AlignedBlock? memory = null;
        try
        {
            byte* request = stackalloc byte[RawMove.RequestBytes];
            while (LinuxCalls.ReceiveAll(connection.SafeHandle, request, RawMove.RequestBytes))
            {
                (byte direction, long length, int block, string name) =
                    RawMove.Read(new ReadOnlySpan<byte>(request, RawMove.RequestBytes));
                memory ??= new AlignedBlock(block);
                string path = Path.Combine(_folder, Path.GetFileName(name));
                if (direction == RawMove.Download)
                {
                    RawMove.SendFile(path, length, memory, block, connection.SafeHandle);
                    continue;
                }

                RawMove.ReceiveFile(path, length, memory, block, connection.SafeHandle);
                byte done = 1;
                LinuxCalls.SendAll(connection.SafeHandle, &done, 1);
            }
        }
        catch (IOException)
        {
            // The client sees that its connection ends.
        }
        finally
        {
            memory?.Dispose();
            connection.Dispose();
        }
    }
}

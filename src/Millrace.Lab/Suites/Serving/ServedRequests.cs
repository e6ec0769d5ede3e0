using System.Buffers.Binary;
using System.Net.Sockets;

namespace Millrace.Lab.Suites.Serving;

/// <summary>The client's end: a socket and nothing else for a whole file over HTTP/1.1, h2load for everything else.</summary>
internal sealed class ServedRequests : CaseMethod
{
    private readonly ServerCase _planned;
    private readonly Uri _address;
    private RawHttpClient? _client;
    private string? _body;

    public ServedRequests(ServerCase planned)
    {
        _planned = planned;
        ServedAddress served = WebServers.Find(planned.Server, planned.Method);
        Uri root = planned.IsGrpc ? served.Grpc! : planned.Http == HttpVersionOf.Http1 ? served.Http1 : served.Http2!;
        _address = new Uri(root, planned.Work switch
        {
            ServedWork.GrpcDownload => GrpcRequest.Path + "Download",
            ServedWork.GrpcUpload => GrpcRequest.Path + "Upload",
            ServedWork.Text => WebServers.TextPath,
            ServedWork.UploadToNothing => WebServers.NothingPath,
            _ => WebServers.FilesPath + (planned.IsUpload ? ServerFolders.UploadedName : Path.GetFileName(planned.Source.Path)),
        });
    }

    public override Func<long> Find(string name) => _planned.UsesProgram ? RunProgram : Move;

    public override void Dispose()
    {
        base.Dispose();
        _client?.Dispose();
    }

    private long RunProgram()
    {
        LoadProgram.Run(_address, _planned, _body ??= _planned.IsGrpc ? GrpcRequest.Write(_planned) : _planned.Source.Path);
        return _planned.Requests;
    }

    private long Move()
    {
        _client ??= new RawHttpClient(_address);
        if (_planned.IsUpload)
        {
            _client.Put(_address.AbsolutePath, _planned.Source);
        }
        else
        {
            _client.Get(_address.AbsolutePath, _planned.Source, compares: DescribesItself);
        }

        return _planned.Source.Bytes;
    }
}

/// <summary>A connection that stays open, with what HTTP/1.1 needs for one file in one direction.</summary>
internal sealed class RawHttpClient : IDisposable
{
    // As large as blocks become in the server: one of 64 KiB took 5 % longer.
    private const int BlockBytes = 256 * 1024;

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _block = GC.AllocateUninitializedArray<byte>(BlockBytes, pinned: true);
    private readonly string _host;

    public RawHttpClient(Uri address)
    {
        _host = address.Authority;
        _socket.Connect(IPEndPoint.Parse(address.Authority));
    }

    /// <param name="compares">Whether the received bytes are compared with the file, and not only counted.</param>
    public void Get(string path, TestFile source, bool compares)
    {
        Send($"GET {path} HTTP/1.1\r\nHost: {_host}\r\n\r\n");
        (int start, int end, long length) = ReceiveHead();
        if (length != source.Bytes)
        {
            throw new IOException($"{path} has {length} bytes instead of {source.Bytes}.");
        }

        using FileStream? file = compares ? File.OpenRead(source.Path) : null;
        for (long left = length; ;)
        {
            int received = end - start;
            Compare(file, _block.AsSpan(start, received), path);
            left -= received;
            if (left == 0)
            {
                return;
            }

            start = 0;
            end = Receive(0);
        }
    }

    public void Put(string path, TestFile source)
    {
        Send($"PUT {path} HTTP/1.1\r\nHost: {_host}\r\nContent-Length: {source.Bytes}\r\n\r\n");
        _socket.SendFile(source.Path);
        (int start, int end, long length) = ReceiveHead();
        for (long left = length - (end - start); left > 0;)
        {
            left -= Receive(0);
        }
    }

    public void Dispose() => _socket.Dispose();

    private void Send(string head) => _socket.Send(Encoding.ASCII.GetBytes(head));

    private int Receive(int at) => _socket.Receive(_block, at, BlockBytes - at, SocketFlags.None) is var received and > 0
        ? received
        : throw new EndOfStreamException("The server closed the connection within a response.");

    /// <returns>Where the body's first bytes are, and how long it is.</returns>
    private (int Start, int End, long Length) ReceiveHead()
    {
        int end = 0;
        int headBytes;
        do
        {
            end += Receive(end);
            headBytes = _block.AsSpan(0, end).IndexOf("\r\n\r\n"u8);
        }
        while (headBytes < 0);

        string head = Encoding.ASCII.GetString(_block, 0, headBytes);
        if (!head.StartsWith("HTTP/1.1 2", StringComparison.Ordinal))
        {
            throw new IOException($"The server answered: {head}");
        }

        const string Field = "\r\ncontent-length:";
        int at = head.IndexOf(Field, StringComparison.OrdinalIgnoreCase);
        long length = at < 0 ? 0 : long.Parse(
            head.AsSpan(at + Field.Length).Trim() is var rest && rest.IndexOf('\r') is var line and >= 0 ? rest[..line] : rest,
            CultureInfo.InvariantCulture);
        return (headBytes + 4, end, length);
    }

    private static void Compare(FileStream? file, ReadOnlySpan<byte> received, string path)
    {
        if (file is null)
        {
            return;
        }

        byte[] expected = new byte[received.Length];
        file.ReadExactly(expected);
        if (!received.SequenceEqual(expected))
        {
            throw new IOException($"{path} arrived with other bytes.");
        }
    }
}

/// <summary>The load generator of nghttp2 (https://nghttp2.org/documentation/h2load-howto.html).</summary>
internal static class LoadProgram
{
    private const string Name = "h2load";

    // The largest window, so that no transfer waits for it.
    private const string WindowBits = "30";

    /// <summary>Why it cannot be used; null when it can.</summary>
    public static string? WhyNot => Installed.WhyNot(Name, "nghttp2-client");

    /// <param name="address">The requested address.</param>
    /// <param name="planned">How often, and how.</param>
    /// <param name="body">The file that is sent, where one is.</param>
    /// <exception cref="IOException">Not every request succeeded.</exception>
    public static void Run(Uri address, ServerCase planned, string body)
    {
        string count = planned.Requests.ToString(CultureInfo.InvariantCulture);
        string connections = planned.Connections.ToString(CultureInfo.InvariantCulture);
        var start = new ProcessStartInfo(Installed.Find(Name)!, ["-n", count, "-c", connections, "-t", "1", "-w", WindowBits, "-W", WindowBits])
        {
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        if (planned.Http == HttpVersionOf.Http1)
        {
            start.ArgumentList.Add("--h1");
        }

        if (planned.IsUpload || planned.IsGrpc)
        {
            start.ArgumentList.Add("-d");
            start.ArgumentList.Add(body);
        }

        foreach (string header in planned.IsGrpc ? GrpcRequest.Headers : [])
        {
            start.ArgumentList.Add("-H");
            start.ArgumentList.Add(header);
        }

        start.ArgumentList.Add(address.AbsoluteUri);
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (!output.Contains($" {count} succeeded, 0 failed", StringComparison.Ordinal) || !output.Contains($"{count} 2xx", StringComparison.Ordinal))
        {
            throw new IOException($"h2load of {address} failed: {output}");
        }

        // gRPC reports failures in trailers, which h2load does not show.
        if (planned.Work == ServedWork.GrpcDownload && BytesOfData(output) < planned.Source.Bytes)
        {
            throw new IOException($"{address} sent less than the file: {output}");
        }
    }

    /// <summary>The last number of "traffic: … total, … headers (…), 128.01MB (134230532) data".</summary>
    private static long BytesOfData(string output)
    {
        int end = output.IndexOf(") data", StringComparison.Ordinal);
        int start = end < 0 ? -1 : output.LastIndexOf('(', end);
        return start < 0 ? 0 : long.Parse(output.AsSpan(start + 1, end - start - 1), CultureInfo.InvariantCulture);
    }
}

/// <summary>The body of a call of millrace.v1.FileTransfer (docs/protocol.md), as a file for a program that knows no gRPC.</summary>
internal static class GrpcRequest
{
    public const string Path = "millrace.v1.FileTransfer/";

    // As large as the client's.
    private const int ChunkBytes = 64 * 1024;

    public static IReadOnlyList<string> Headers { get; } = ["content-type: application/grpc", "te: trailers"];

    /// <returns>The name of the file, beside the measured ones.</returns>
    public static string Write(ServerCase planned)
    {
        string path = System.IO.Path.Combine(planned.Folder, FormattableString.Invariant($"{planned.Work}-{planned.Source.Bytes}.body"));
        using FileStream body = File.Create(path);
        if (planned.Work == ServedWork.GrpcDownload)
        {
            WriteMessage(body, Field(1, Encoding.UTF8.GetBytes(System.IO.Path.GetFileName(planned.Source.Path))));
            return path;
        }

        WriteMessage(body, Field(3, Field(1, Encoding.UTF8.GetBytes(ServerFolders.UploadedName))));
        using FileStream source = File.OpenRead(planned.Source.Path);
        byte[] chunk = new byte[ChunkBytes];
        while (source.ReadAtLeast(chunk, ChunkBytes, throwOnEndOfStream: false) is var read and > 0)
        {
            WriteMessage(body, Field(1, chunk.AsSpan(0, read)));
        }

        WriteMessage(body, Field(4, [8, .. Varint(planned.Source.Bytes)]));
        return path;
    }

    /// <summary>A message after its five bytes: not compressed, and its length.</summary>
    private static void WriteMessage(FileStream body, byte[] message)
    {
        Span<byte> head = stackalloc byte[5];
        head.Clear();
        BinaryPrimitives.WriteInt32BigEndian(head[1..], message.Length);
        body.Write(head);
        body.Write(message);
    }

    /// <summary>A field with a length: https://protobuf.dev/programming-guides/encoding/.</summary>
    private static byte[] Field(int number, ReadOnlySpan<byte> value) => [(byte)((number << 3) | 2), .. Varint(value.Length), .. value];

    private static byte[] Varint(long value)
    {
        var bytes = new List<byte>();
        for (; value >= 128; value >>= 7)
        {
            bytes.Add((byte)(value | 128));
        }

        return [.. bytes, (byte)value];
    }
}

/// <summary>Programs of the system.</summary>
internal static class Installed
{
    /// <summary>Why a program cannot be used; null when it is installed.</summary>
    public static string? WhyNot(string program, string package) =>
        Find(program) is null ? $"{program} is not installed; it is in Debian's package {package}" : null;

    /// <summary>Where a program is; null when it is not installed. Daemons are where only root looks.</summary>
    /// <remarks>Not under Wine, which shows the programs of Linux and cannot run them.</remarks>
    public static string? Find(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Concat(OperatingSystem.IsWindows() ? [] : (string[])["/usr/sbin"])
        .Select(folder => Path.Combine(folder, program))
        .FirstOrDefault(File.Exists);
}

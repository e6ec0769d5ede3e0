using System.Net.Sockets;

namespace Millrace.Lab.Suites.Serving;

/// <summary>The client's end: a socket and nothing else for a whole file over HTTP/1.1, h2load for everything else.</summary>
internal sealed class ServedRequests : CaseMethod
{
    private readonly ServerCase _planned;
    private readonly Uri _address;
    private RawHttpClient? _client;

    public ServedRequests(ServerCase planned)
    {
        _planned = planned;
        ServedAddress served = WebServers.Find(planned.Server, planned.Method);
        Uri root = planned.Http == HttpVersionOf.Http1 ? served.Http1 : served.Http2!;
        _address = new Uri(root, planned.Work switch
        {
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
        LoadProgram.Run(_address, _planned);
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

    /// <param name="compares">Whether what arrives is compared with the file, and not only counted.</param>
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

    private static readonly Lazy<string?> Reason = new(() =>
        Installed.Find(Name) is null ? "h2load is not installed; it is in Debian's package nghttp2-client" : null);

    /// <summary>Why it cannot be used; null when it can.</summary>
    public static string? WhyNot => Reason.Value;

    /// <exception cref="IOException">Not every request succeeded.</exception>
    public static void Run(Uri address, ServerCase planned)
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

        if (planned.IsUpload)
        {
            start.ArgumentList.Add("-d");
            start.ArgumentList.Add(planned.Source.Path);
        }

        start.ArgumentList.Add(address.AbsoluteUri);
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (!output.Contains($" {count} succeeded, 0 failed", StringComparison.Ordinal) || !output.Contains($"{count} 2xx", StringComparison.Ordinal))
        {
            throw new IOException($"h2load of {address} failed: {output}");
        }
    }
}

/// <summary>Programs of the system.</summary>
internal static class Installed
{
    /// <summary>Where a program is; null when it is not installed. Daemons are where only root looks.</summary>
    public static string? Find(string program) => (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Append("/usr/sbin")
        .Select(folder => Path.Combine(folder, program))
        .FirstOrDefault(File.Exists);
}

namespace Millrace.Kestrel.Tests;

/// <summary>HTTP/1.1 by hand, where a client's library would hide the connection.</summary>
internal static class RawHttp
{
    public static Task GetAsync(this Socket socket, string path, string headers = "") =>
        socket.SendAllAsync(Encoding.ASCII.GetBytes($"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n"));

    public static async Task SendAllAsync(this Socket socket, ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            bytes = bytes[await socket.SendAsync(bytes)..];
        }
    }

    /// <summary>Receives until the peer ends.</summary>
    public static async Task<byte[]> ReceiveToEndAsync(this Socket socket)
    {
        using var stream = new NetworkStream(socket);
        using var all = new MemoryStream();
        await stream.CopyToAsync(all).Soon();
        return all.ToArray();
    }

    /// <summary>Receives one response with a Content-Length.</summary>
    public static async Task<(string Head, byte[] Body)> ReceiveResponseAsync(this Socket socket)
    {
        var head = new List<byte>();
        byte[] one = new byte[1];
        while (head.Count < 4 || !head[^4..].SequenceEqual("\r\n\r\n"u8.ToArray()))
        {
            Assert.Equal(1, await socket.ReceiveAsync(one).Soon());
            head.Add(one[0]);
        }

        string text = Encoding.ASCII.GetString([.. head]);
        string length = text.Split("\r\n").Single(line => line.StartsWith("Content-Length:", StringComparison.Ordinal));
        byte[] body = new byte[int.Parse(length.Split(':')[1])];
        using var stream = new NetworkStream(socket);
        await stream.ReadExactlyAsync(body).AsTask().Soon();
        return (text, body);
    }
}

using System.Net.Sockets;
using System.Text;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A socket that sends what a test says, byte for byte.</summary>
internal sealed class PlainSocket : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };

    public static async Task<PlainSocket> OpenAsync(IPEndPoint endPoint, string text = "")
    {
        var connection = new PlainSocket();
        await connection._socket.ConnectAsync(endPoint);
        await connection.SendAsync(text);
        return connection;
    }

    /// <summary>Sends; false when the other side has closed.</summary>
    public async Task<bool> SendAsync(string text)
    {
        try
        {
            await _socket.SendAsync(Encoding.ASCII.GetBytes(text));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    /// <summary>What comes until a text has come, or the other side closes.</summary>
    public async Task<string> ReadUntilAsync(string end)
    {
        using var limit = new CancellationTokenSource(Limit);
        byte[] buffer = new byte[4096];
        var text = new StringBuilder();
        try
        {
            while (!text.ToString().Contains(end, StringComparison.Ordinal))
            {
                int read = await _socket.ReceiveAsync(buffer, limit.Token);
                if (read == 0)
                {
                    break;
                }

                text.Append(Encoding.ASCII.GetString(buffer, 0, read));
            }
        }
        catch (SocketException)
        {
            // Reset: closed as well.
        }

        return text.ToString();
    }

    /// <summary>What comes until the other side closes.</summary>
    public Task<string> ReadToEndAsync() => ReadUntilAsync("\0");

    public void Dispose() => _socket.Dispose();
}

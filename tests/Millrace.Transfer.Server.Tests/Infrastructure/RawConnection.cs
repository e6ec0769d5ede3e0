using System.Net.Sockets;
using System.Text;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A connection on which exactly those bytes are sent that a test wants, which no HTTP client would send.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly TcpClient _connection;

    private RawConnection(TcpClient connection) => _connection = connection;

    public static async Task<RawConnection> OpenAsync(RunningServer server)
    {
        var connection = new TcpClient { NoDelay = true };
        await connection.ConnectAsync(server.Address.Host, server.Address.Port);
        return new RawConnection(connection);
    }

    /// <summary>Sends a request on a new connection and reads the whole response.</summary>
    public static async Task<RawResponse> SendAsync(RunningServer server, string request)
    {
        using RawConnection connection = await OpenAsync(server);
        await connection.WriteAsync(request);
        return RawResponse.Parse(await connection.ReadToEndAsync());
    }

    /// <summary>One byte for each character, so that any byte can be sent.</summary>
    public async Task WriteAsync(string text) =>
        await _connection.GetStream().WriteAsync(Encoding.Latin1.GetBytes(text)).AsTask().WaitAsync(Bound);

    public async Task<string> ReadToEndAsync()
    {
        using var all = new MemoryStream();
        try
        {
            await _connection.GetStream().CopyToAsync(all).WaitAsync(Bound);
        }
        catch (IOException) when (all.Length > 0)
        {
            // A server that has answered and waits in vain for the body that was announced ends with a reset.
        }

        return Encoding.Latin1.GetString(all.ToArray());
    }

    /// <summary>Reads until a text has come.</summary>
    public async Task<string> ReadUntilAsync(string text)
    {
        byte[] one = new byte[1];
        var all = new StringBuilder();
        while (!all.ToString().EndsWith(text, StringComparison.Ordinal)
            && await _connection.GetStream().ReadAsync(one).AsTask().WaitAsync(Bound) > 0)
        {
            all.Append((char)one[0]);
        }

        return all.ToString();
    }

    /// <summary>Ends it as a client does that dies: with a reset.</summary>
    public void Reset()
    {
        _connection.Client.LingerState = new LingerOption(true, 0);
        _connection.Close();
    }

    public void Dispose() => _connection.Dispose();

    private static TimeSpan Bound { get; } = TimeSpan.FromSeconds(60);
}

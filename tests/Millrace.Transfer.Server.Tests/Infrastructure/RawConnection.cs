using System.Net.Security;
using System.Net.Sockets;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A connection on which exactly those bytes are sent that a test wants, which no HTTP client would send.</summary>
internal sealed class RawConnection : IDisposable
{
    private readonly TcpClient _client;
    private readonly Stream _stream;

    private RawConnection(TcpClient client, Stream stream)
    {
        _client = client;
        _stream = stream;
    }

    /// <summary>Connects, and sends a text if there is one.</summary>
    public static async Task<RawConnection> OpenAsync(Uri server, string text = "", bool tls = false)
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(server.Host, server.Port);
        Stream stream = client.GetStream();
        if (tls)
        {
            var secure = new SslStream(stream);
            await secure.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
            {
                TargetHost = server.Host,
                CertificateChainPolicy = LoopbackCertificate.Policy(),
            });
            stream = secure;
        }

        var connection = new RawConnection(client, stream);
        await connection.SendAsync(text);
        return connection;
    }

    /// <summary>Sends a request on a new connection and reads the whole response.</summary>
    public static async Task<RawResponse> ExchangeAsync(Uri server, string request)
    {
        using RawConnection connection = await OpenAsync(server, request);
        return RawResponse.Parse(await connection.ReadToEndAsync());
    }

    /// <summary>Sends one byte for each character, so that any byte can be sent; false when the other side has closed.</summary>
    public Task<bool> SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task<bool> SendAsync(byte[] bytes)
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

    /// <summary>Reads up to and with some text, or until the other side closes or resets the connection.</summary>
    public async Task<string> ReadUntilAsync(string end)
    {
        byte[] one = new byte[1];
        var all = new StringBuilder();
        try
        {
            while (!all.ToString().EndsWith(end, StringComparison.Ordinal) && await _stream.ReadAsync(one).Soon() > 0)
            {
                all.Append((char)one[0]);
            }
        }
        catch (IOException)
        {
            // Reset: closed as well. A server that waited in vain for the body does that after its answer.
        }

        return all.ToString();
    }

    /// <summary>Reads one head of an answer.</summary>
    public Task<string> ReadHeadAsync() => ReadUntilAsync("\r\n\r\n");

    /// <summary>Reads so many bytes.</summary>
    public Task SkipAsync(int bytes) => _stream.ReadExactlyAsync(new byte[bytes]).Soon();

    public async Task<string> ReadToEndAsync()
    {
        using var all = new MemoryStream();
        try
        {
            await _stream.CopyToAsync(all).Soon();
        }
        catch (IOException)
        {
            // Also the end of a connection.
        }

        return Encoding.Latin1.GetString(all.ToArray());
    }

    /// <summary>Ends it with a reset, as a machine does that was switched off and on.</summary>
    public void Reset() => _client.Client.Close(0);

    public void Dispose() => _client.Dispose();
}

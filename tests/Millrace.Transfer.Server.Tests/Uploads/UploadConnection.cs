using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>A connection on which exactly the bytes are sent that a test wants.</summary>
internal sealed class UploadConnection : IAsyncDisposable
{
    private readonly TcpClient _client;
    private readonly Stream _stream;

    private UploadConnection(TcpClient client, Stream stream)
    {
        _client = client;
        _stream = stream;
    }

    public static async Task<UploadConnection> OpenAsync(Uri address, bool tls = false)
    {
        var client = new TcpClient { NoDelay = true };
        await client.ConnectAsync(address.Host, address.Port);
        Stream stream = client.GetStream();
        if (tls)
        {
            var secure = new SslStream(stream, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
            await secure.AuthenticateAsClientAsync(address.Host);
            stream = secure;
        }

        return new UploadConnection(client, stream);
    }

    public Task SendAsync(string text) => SendAsync(Encoding.Latin1.GetBytes(text));

    public async Task SendAsync(byte[] bytes)
    {
        await _stream.WriteAsync(bytes);
        await _stream.FlushAsync();
    }

    /// <summary>Reads up to and with some text.</summary>
    public async Task<string> ReadThroughAsync(string end)
    {
        using var bound = new CancellationTokenSource(TimeSpan.FromSeconds(60));
        var text = new StringBuilder();
        byte[] one = new byte[1];
        while (!text.ToString().EndsWith(end, StringComparison.Ordinal))
        {
            int read = await _stream.ReadAsync(one, bound.Token);
            Assert.True(read > 0, $"The connection ended after: {text}");
            text.Append((char)one[0]);
        }

        return text.ToString();
    }

    /// <summary>Reads one head of an answer.</summary>
    public Task<string> ReadHeadAsync() => ReadThroughAsync("\r\n\r\n");

    /// <summary>Ends it with a reset, as a machine does that was switched off and on.</summary>
    public void Reset() => _client.Client.Close(0);

    public async ValueTask DisposeAsync()
    {
        try
        {
            await _stream.DisposeAsync();
        }
        catch (IOException)
        {
            // It was reset already.
        }

        _client.Dispose();
    }
}

using System.Net.Sockets;
using Amazon.Runtime;

namespace Millrace.Transfer.S3.Tests.Infrastructure;

/// <summary>A service that answers each request as a test wants, and never closes a connection.</summary>
internal sealed class RawService : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _end = new();
    private readonly Func<string, Func<string, Task>, Task> _answer;
    private readonly Task _serving;
    private int _requests;

    /// <param name="answer">Gets the head of a request without a body, and what sends.</param>
    /// <param name="timeout">For the client; null for its default.</param>
    public RawService(Func<string, Func<string, Task>, Task> answer, TimeSpan? timeout = null)
    {
        _answer = answer;
        _listener.Start();
        _serving = Task.Run(ServeAsync);
        var config = new AmazonS3Config
        {
            ServiceURL = $"http://{_listener.LocalEndpoint}",
            ForcePathStyle = true,
            HttpClientFactory = new S3HttpClientFactory(),
        };
        if (timeout is not null)
        {
            config.Timeout = timeout;
        }

        Client = new AmazonS3Client(new BasicAWSCredentials("key", "secret"), config);
    }

    public IAmazonS3 Client { get; }

    public int Requests => Volatile.Read(ref _requests);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await _end.CancelAsync();
        await _serving.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener.Dispose();
        _end.Dispose();
    }

    private async Task ServeAsync()
    {
        while (true)
        {
            _ = AnswerAsync(await _listener.AcceptSocketAsync(_end.Token));
        }
    }

    private async Task AnswerAsync(Socket connection)
    {
        using (connection)
        {
            connection.NoDelay = true;
            byte[] request = new byte[8192];
            try
            {
                while (await connection.ReceiveAsync(request, _end.Token) is > 0 and var count)
                {
                    Interlocked.Increment(ref _requests);
                    await _answer(
                        Encoding.ASCII.GetString(request, 0, count), async text => await connection.SendAsync(Encoding.ASCII.GetBytes(text), _end.Token));
                }
            }
            catch (Exception exception) when (exception is SocketException or OperationCanceledException or ObjectDisposedException)
            {
                // The client has closed the connection, or the test is over.
            }
        }
    }
}

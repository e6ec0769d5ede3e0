using System.Net.Sockets;
using Amazon.Runtime;

namespace Millrace.Transfer.S3.Tests.Faults;

/// <summary>A request that is cancelled after the head of its response and before the rest.</summary>
public sealed class CancelledListTests : IAsyncDisposable
{
    private const string List = """
        <?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>files</Name><Prefix></Prefix><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>
        """;

    private const string Refusal = "<Error><Code>NoSuchBucket</Code></Error>";

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly TaskCompletionSource _headSent = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _cancelled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _end = new();
    private Task _serving = Task.CompletedTask;

    [Theory, InlineData(200), InlineData(404)]
    public async Task It_ends_at_once_and_holds_no_other_request_up(int status)
    {
        _listener.Start();
        _serving = Task.Run(() => ServeAsync(status));
        using var client = new AmazonS3Client(new BasicAWSCredentials("key", "secret"), new AmazonS3Config
        {
            ServiceURL = $"http://{_listener.LocalEndpoint}",
            ForcePathStyle = true,
            HttpClientFactory = new S3HttpClientFactory(),
        });
        using var cancelled = new CancellationTokenSource();
        Task<ListObjectsV2Response> list = client.ListObjectsV2Async(new ListObjectsV2Request { BucketName = "files" }, cancelled.Token);
        await _headSent.Task.WaitAsync(Bounded.Patience);

        // The client needs a moment to read the head; without that, there is nothing to test.
        await Task.Delay(50);
        await cancelled.CancelAsync();
        _cancelled.SetResult();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => list.WaitAsync(Bounded.Patience));
        for (int i = 0; i < 3; i++)
        {
            await client.DeleteObjectAsync(new DeleteObjectRequest { BucketName = "files", Key = "name" }).WaitAsync(Bounded.Patience);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _serving.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _listener.Dispose();
        _end.Dispose();
    }

    private async Task ServeAsync(int status)
    {
        while (true)
        {
            Socket connection = await _listener.AcceptSocketAsync(_end.Token);
            _ = AnswerAsync(connection, status);
        }
    }

    private async Task AnswerAsync(Socket connection, int status)
    {
        using (connection)
        {
            connection.NoDelay = true;
            byte[] request = new byte[8192];
            try
            {
                while (await connection.ReceiveAsync(request, _end.Token) is > 0 and var count)
                {
                    if (Encoding.ASCII.GetString(request, 0, count).StartsWith("DELETE", StringComparison.Ordinal))
                    {
                        await SendAsync("HTTP/1.1 204 No Content\r\n\r\n");
                        continue;
                    }

                    await SendAsync($"HTTP/1.1 {status} Status\r\nTransfer-Encoding: chunked\r\nContent-Type: application/xml\r\n\r\n");
                    _headSent.TrySetResult();
                    await _cancelled.Task;
                    string body = status == 200 ? List : Refusal;
                    await SendAsync($"{body.Length:x}\r\n{body}\r\n0\r\n\r\n");
                }
            }
            catch (Exception exception) when (exception is SocketException or OperationCanceledException)
            {
                // The client has closed the connection, or the test is over.
            }
        }

        async Task SendAsync(string text) => await connection.SendAsync(Encoding.ASCII.GetBytes(text), _end.Token);
    }
}

namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>A slow sender holds a connection only for a while, and does not block other clients.</summary>
public sealed class SlowSenderTests
{
    private const int Many = 200;

    private static readonly TransferLimits Short = new()
    {
        MinReceiveRateGracePeriod = TimeSpan.FromSeconds(2),
        HeaderTimeout = TimeSpan.FromSeconds(2),
        MaxTransfers = Many + 10,
    };

    [Theory]
    [InlineData("PUT /files/slow-{0} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")]
    [InlineData("PUT /files/slow-{0} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")]
    [InlineData("GET /files/slow-{0} HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")]
    public async Task Two_hundred_slow_senders_are_cut_while_others_are_served(string beginning)
    {
        await using ServedFolder served = await ServedFolder.StartAsync(options => options.Limits = Short);
        RawConnection[] slow = await Task.WhenAll(Enumerable.Range(0, Many).Select(i => RawConnection.OpenAsync(
            served.Server.Address, string.Format(System.Globalization.CultureInfo.InvariantCulture, beginning, i))));
        try
        {
            using var stop = new CancellationTokenSource();
            Task dripping = Task.WhenAll(slow.Select(connection => DripAsync(connection, beginning, stop.Token)));

            // Others are served while all of them are there.
            using (HttpResponseMessage put = await served.Client.PutAsync("files/quick", new StringContent("quick")))
            {
                Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            }

            Assert.Equal("quick", await served.Client.GetStringAsync("files/quick"));

            // And each of them is answered, or closed.
            string[] answers = await Task.WhenAll(slow.Select(connection => connection.ReadToEndAsync()));
            Assert.All(answers, answer => Assert.True(answer.Length == 0 || answer.Contains(" 408 ", StringComparison.Ordinal), answer));
            await stop.CancelAsync();
            await dripping;
            Assert.Equal(["quick"], Directory.GetFiles(served.Folder).Select(Path.GetFileName));
        }
        finally
        {
            Array.ForEach(slow, connection => connection.Dispose());
        }
    }

    private static async Task DripAsync(RawConnection connection, string beginning, CancellationToken stop)
    {
        string drop = beginning.Contains("chunked", StringComparison.Ordinal) ? "1\r\nx\r\n" : "x";
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(500));
        try
        {
            while (await connection.SendAsync(drop) && await timer.WaitForNextTickAsync(stop))
            {
            }
        }
        catch (OperationCanceledException)
        {
            // The test has seen enough.
        }
    }
}

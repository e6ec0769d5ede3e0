namespace Millrace.Transfer.Server.Tests.Limits;

public sealed class TransfersAtOnceTests
{
    [Fact]
    public async Task Excess_transfer_gets_429_with_Retry_After()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Limits = new TransferLimits { MaxTransfers = 1, RetryAfter = TimeSpan.FromSeconds(7) });
        using RawConnection running = await served.HalfUploadAsync();

        using HttpResponseMessage refused = await served.Client.PutAsync("files/two", new StringContent("two"));
        Assert.Equal(HttpStatusCode.TooManyRequests, refused.StatusCode);
        Assert.Equal(TimeSpan.FromSeconds(7), refused.Headers.RetryAfter?.Delta);

        // What moves no file is not counted.
        Assert.Equal(HttpStatusCode.OK, (await served.Client.GetAsync("files/")).StatusCode);

        Assert.True(await running.SendAsync("ne"));
        Assert.Contains(" 201 ", await running.ReadUntilAsync("\r\n\r\n"), StringComparison.Ordinal);
        await Bounded.UntilAsync(() => served.Server.ActiveTransfers == 0);
        await served.Client.PutAsync("files/two", new StringContent("two")).AnswersAsync(HttpStatusCode.Created);
    }

    [Fact]
    public async Task Transfer_of_a_dead_connection_frees_its_slot()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Limits = new TransferLimits { MaxTransfers = 1 });
        (await served.HalfUploadAsync()).Dispose();

        await Bounded.UntilAsync(() => served.Server.ActiveTransfers == 0);
        Assert.Empty(Directory.GetFiles(served.Folder));
    }

    [Fact]
    public async Task Too_large_body_is_refused_by_its_length_before_it_is_sent()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Limits = new TransferLimits { MaxBodyBytes = 10 });
        using RawConnection connection = await RawConnection.OpenAsync(
            served.Server.Address, "PUT /files/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
        string answer = await connection.ReadUntilAsync("\r\n\r\n");

        Assert.StartsWith("HTTP/1.1 413 ", answer, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Too_large_body_without_a_length_is_refused()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Limits = new TransferLimits { MaxBodyBytes = 10 });
        using RawConnection connection = await RawConnection.OpenAsync(
            served.Server.Address,
            "PUT /files/one HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n0\r\n\r\n");
        string answer = await connection.ReadUntilAsync("\r\n\r\n");

        Assert.StartsWith("HTTP/1.1 413 ", answer, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFiles(served.Folder));
    }

    [Fact]
    public async Task Excess_connection_is_closed()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.Limits = new TransferLimits { MaxConnections = 1 });
        using RawConnection first = await RawConnection.OpenAsync(served.Server.Address, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        Assert.Contains(" 200 ", await first.ReadUntilAsync("\r\n\r\n"), StringComparison.Ordinal);

        using RawConnection second = await RawConnection.OpenAsync(served.Server.Address, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
        Assert.Empty(await second.ReadToEndAsync());
    }
}

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>How a server stops.</summary>
public sealed class StopTests
{
    [Fact]
    public async Task Running_transfer_can_finish()
    {
        await using ServedFolder served = await ServedFolder.StartAsync();
        using RawConnection running = await served.HalfUploadAsync();

        Task<int> stopping = served.Server.StopAsync();
        Assert.True(await running.SendAsync("ne"));

        Assert.Contains(" 201 ", await running.ReadUntilAsync("\r\n\r\n"), StringComparison.Ordinal);
        Assert.Equal(0, await stopping);
        Assert.Equal("done", await File.ReadAllTextAsync(Path.Combine(served.Folder, "one")));
    }

    [Fact]
    public async Task Transfer_that_exceeds_the_shutdown_timeout_is_cut_and_leaves_nothing_visible()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.ShutdownTimeout = TimeSpan.FromMilliseconds(50));
        using RawConnection running = await served.HalfUploadAsync();

        Assert.Equal(1, await served.Server.StopAsync());
        Assert.Equal(0, served.Server.ActiveTransfers);
        Assert.Empty(await running.ReadToEndAsync());
        Assert.Empty(Directory.GetFiles(served.Folder));
    }

    [Fact]
    public async Task A_second_signal_cuts_at_once()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.ShutdownTimeout = TimeSpan.FromHours(1));
        using RawConnection running = await served.HalfUploadAsync();

        using var cut = new CancellationTokenSource();
        Task<int> stopping = served.Server.StopAsync(cut.Token);
        await cut.CancelAsync();
        Assert.Equal(1, await stopping);
    }

    [Fact]
    public async Task Cut_upload_resumes_at_another_server_of_the_folder()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(
            options => options.ShutdownTimeout = TimeSpan.Zero);
        using var create = new HttpRequestMessage(HttpMethod.Post, "uploads")
        {
            Headers =
            {
                { "Tus-Resumable", "1.0.0" }, { "Upload-Length", "8" },
                { "Upload-Metadata", "filename " + Convert.ToBase64String("big.bin"u8) },
            },
        };
        using HttpResponseMessage created = await served.Client.SendAsync(create);
        string path = new Uri(served.Server.Address, created.Headers.Location!).AbsolutePath;
        using RawConnection running = await RawConnection.OpenAsync(
            served.Server.Address,
            $"PATCH {path} HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 8\r\n\r\n1234");
        await Bounded.UntilAsync(() => served.Server.ActiveTransfers == 1);
        await served.Server.StopAsync();

        await using TransferServer second = await TransferServer.StartAsync(
            new TransferHostOptions { Folder = served.Folder, Port = 0, OfferHttp2Port = false });
        using var client = new HttpClient { BaseAddress = second.Address };
        using var head = new HttpRequestMessage(HttpMethod.Head, path) { Headers = { { "Tus-Resumable", "1.0.0" } } };
        using HttpResponseMessage found = await client.SendAsync(head);
        int offset = int.Parse(found.Headers.GetValues("Upload-Offset").Single(), System.Globalization.CultureInfo.InvariantCulture);
        Assert.InRange(offset, 0, 4);
        using var rest = new HttpRequestMessage(HttpMethod.Patch, path)
        {
            Headers = { { "Tus-Resumable", "1.0.0" }, { "Upload-Offset", $"{offset}" } },
            Content = new ByteArrayContent("12345678"u8[offset..].ToArray())
            {
                Headers = { { "Content-Type", "application/offset+octet-stream" } },
            },
        };
        using HttpResponseMessage done = await client.SendAsync(rest);
        Assert.True(done.IsSuccessStatusCode, await done.Content.ReadAsStringAsync());
        Assert.Equal("12345678", await File.ReadAllTextAsync(Path.Combine(served.Folder, "big.bin")));
        await second.StopAsync();
    }
}

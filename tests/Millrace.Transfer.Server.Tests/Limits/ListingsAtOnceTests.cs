namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>How many listings run at once, and wait.</summary>
public sealed class ListingsAtOnceTests
{
    /// <summary>Names whose listing is more than a connection keeps for a client that does not take it.</summary>
    private const int Names = 4_000;

    [Theory]
    [InlineData("files/?limit=4000")]
    [InlineData("files/")]
    public async Task Listing_waits_until_another_of_the_caller_was_sent_and_excess_ones_get_429(string path)
    {
        await using ServedFolder served = await StartAsync(new TransferLimits { MaxListings = 1, MaxTransfers = 1 });
        using RawHttp2 blocked = await ListWithoutWindowAsync(served);
        Task<HttpResponseMessage>[] two = [served.Client.GetAsync(path), served.Client.GetAsync(path)];
        Task<HttpResponseMessage> excess = await Task.WhenAny(two).Soon();
        Task<HttpResponseMessage> waiting = two.Single(task => task != excess);
        using HttpResponseMessage refused = await excess;
        Assert.Equal(HttpStatusCode.TooManyRequests, refused.StatusCode);
        Assert.NotNull(refused.Headers.RetryAfter);

        // Neither waits for a listing.
        await served.Client.GetAsync("health").AnswersAsync(HttpStatusCode.OK);
        await served.Client.PutAsync("files/new", new StringContent("1")).AnswersAsync(HttpStatusCode.Created);
        Assert.False(waiting.IsCompleted);

        blocked.Dispose();
        await waiting.AnswersAsync(HttpStatusCode.OK);
    }

    [NeedsFact(Need.Linux)]
    public async Task Addresses_that_do_not_receive_their_listings_keep_no_other_from_its_own()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits { MaxListings = 1, MaxTransfers = 1 });
        var blocked = new List<RawHttp2>();
        try
        {
            for (int i = 2; i < 10; i++)
            {
                blocked.Add(await ListWithoutWindowAsync(served, IPAddress.Parse($"127.0.0.{i}")));
            }

            await served.Client.GetAsync("files/?limit=4000").Soon().AnswersAsync(HttpStatusCode.OK);
            await served.Client.GetAsync("files/").Soon().AnswersAsync(HttpStatusCode.OK);
        }
        finally
        {
            blocked.ForEach(static connection => connection.Dispose());
        }
    }

    [Fact]
    public async Task Listing_of_a_client_that_went_away_while_it_waited_frees_its_place()
    {
        await using ServedFolder served = await StartAsync(new TransferLimits { MaxListings = 1, MaxTransfers = 1 });
        RawHttp2 blocked = await ListWithoutWindowAsync(served);
        const string List = "GET /files/ HTTP/1.1\r\nHost: localhost\r\n\r\n";
        using (RawConnection gone = await RawConnection.OpenAsync(served.Server.Address, List))
        {
            await Bounded.UntilAsync(async () =>
            {
                using var patience = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
                try
                {
                    using HttpResponseMessage answer = await served.Client.GetAsync("files/", patience.Token);
                    return answer.StatusCode == HttpStatusCode.TooManyRequests;
                }
                catch (OperationCanceledException)
                {
                    // This listing waited in the only place; if the other one was refused meanwhile, it has to try again.
                    await gone.SendAsync(List);
                    return false;
                }
            });
        }

        blocked.Dispose();
        await Bounded.UntilAsync(async () => (await served.Client.GetAsync("files/")).StatusCode == HttpStatusCode.OK);
    }

    private static async Task<ServedFolder> StartAsync(TransferLimits limits)
    {
        ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Limits = limits;
            options.OfferHttp2Port = true;
            options.Http2Port = 0;
        });
        for (int i = 0; i < Names; i++)
        {
            await File.WriteAllTextAsync(Path.Combine(served.Folder, $"{i:00000}"), "");
        }

        return served;
    }

    /// <summary>Begins to get a listing, and accepts its fields only.</summary>
    private static async Task<RawHttp2> ListWithoutWindowAsync(ServedFolder served, IPAddress? from = null)
    {
        RawHttp2 blocked = await RawHttp2.OpenAsync(served.Server.Http2Address!.Port, window: 0, from: from);
        await blocked.RequestAsync(1, "GET", $"/files/?limit={Names}", end: true, ("accept", "application/json"));
        Assert.NotNull(await blocked.ReadUntilAsync(RawHttp2.Headers, stream: 1));
        return blocked;
    }
}

using System.Net;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` while many clients list a large folder.</summary>
[Trait("Tier", "All")]
public sealed class ManyListingsTests : CommandTests
{
    private const int Listings = 120;

    public ManyListingsTests() => IsHosted = false;

    [Fact]
    public async Task Health_and_uploads_do_not_wait_for_listings()
    {
        Directory.CreateDirectory(Folder["files"]);
        for (int i = 0; i < 20_000; i++)
        {
            File.Create(Folder[$"files/{i:000000}"]).Dispose();
        }

        using ServedCommand serve = await ServeAsync("files");

        // The last listing waits for all the others, beside whatever else the machine does.
        serve.Client.Timeout = TimeSpan.FromMinutes(10);
        Task<HttpResponseMessage>[] listings =
            [.. Enumerable.Range(0, Listings).Select(i => serve.Client.GetAsync($"files/?limit=5000&after={i * 100:000000}"))];

        // All are on their way when the first one is answered. Behind them, both would be answered last. What counts is when the server asks for the
        // body: after it, the file waits for the disk, which the listings do not need.
        await Task.WhenAny(listings);
        using HttpResponseMessage health = await serve.Client.GetAsync("health");
        int done = 0;
        using var request = new HttpRequestMessage(HttpMethod.Put, "files/new");
        request.Headers.ExpectContinue = true;
        request.Content = new AskedContent(() => done = listings.Count(listing => listing.IsCompleted));
        using var handler = new SocketsHttpHandler { Expect100ContinueTimeout = Bounded.Patience };
        using var client = new HttpClient(handler) { BaseAddress = serve.Client.BaseAddress, Timeout = serve.Client.Timeout };
        using HttpResponseMessage put = await client.SendAsync(request);
        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.Created), (health.StatusCode, put.StatusCode));
        Assert.InRange(done, 1, Listings / 2);
        foreach (Task<HttpResponseMessage> listing in listings)
        {
            using HttpResponseMessage answer = await listing;
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        }
    }

    private sealed class AskedContent(Action asked) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            asked();
            return stream.WriteAsync("1"u8.ToArray()).AsTask();
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 1;
            return true;
        }
    }
}

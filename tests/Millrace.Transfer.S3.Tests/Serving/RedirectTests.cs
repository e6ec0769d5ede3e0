namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>Downloads from the bucket itself: only if the server offers them, and the client asks.</summary>
public sealed class RedirectTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Client_that_asks_is_sent_to_the_bucket_for_five_minutes_at_most()
    {
        await Bucket.PutAsync("a", "content"u8.ToArray());
        await using ServedBucket server = await ServeAsync("--s3-redirect");
        using var client = new HttpClient(new SocketsHttpHandler { AllowAutoRedirect = false });
        Uri? address = null;
        for (int quarter = 0; quarter < 4; quarter++)
        {
            // At several times of a second, because the lifetime is in whole ones.
            await Task.Delay(quarter == 0 ? 0 : 250);
            using HttpResponseMessage sent = await client.SendAsync(Request(server, prefer: true));
            Assert.Equal(HttpStatusCode.TemporaryRedirect, sent.StatusCode);
            address = sent.Headers.Location!;
            Assert.Equal(Bucket.Server.Address.Port, address.Port);
            string lifetime = System.Web.HttpUtility.ParseQueryString(address.Query)["X-Amz-Expires"]!;
            Assert.InRange(int.Parse(lifetime, System.Globalization.CultureInfo.InvariantCulture), 1, 300);
        }

        Assert.Equal("content", await client.GetStringAsync(address));

        using HttpResponseMessage unasked = await client.SendAsync(Request(server, prefer: false));
        Assert.Equal(HttpStatusCode.OK, unasked.StatusCode);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Nobody_is_sent_there_by_default()
    {
        await Bucket.PutAsync("a", "content"u8.ToArray());
        await using ServedBucket server = await ServeAsync();
        using HttpResponseMessage response = await server.Client.SendAsync(Request(server, prefer: true));
        Assert.Equal("content", await response.Content.ReadAsStringAsync());
        Assert.Equal(server.Files + "a", response.RequestMessage!.RequestUri!.AbsoluteUri);
    }

    /// <remarks>The server logs how many bytes of a download it has sent.</remarks>
    [NeedsTheory(Need.Ceph), InlineData(true), InlineData(false)]
    public async Task Command_downloads_from_the_bucket_if_both_sides_agree(bool asks)
    {
        byte[] content = RandomNumberGenerator.GetBytes(6_000_001);
        await Bucket.PutAsync("a", content);
        await using ServedBucket server = await ServeAsync("--s3-redirect");
        await MillraceCommand.SucceedAsync(Folder.Path, ["get", server.Files + "a", "back", .. asks ? (string[])["--follow-redirects"] : []]);
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));

        // A download is logged after its last bytes were sent, so perhaps after the client's end.
        await Bounded.UntilAsync(() => server.Log.Contains(asks ? "307, 0 bytes" : "200, 6000001 bytes", StringComparison.Ordinal));
    }

    private static HttpRequestMessage Request(ServedBucket server, bool prefer)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, server.Files + "a");
        if (prefer)
        {
            request.Headers.Add("Prefer", "redirect");
        }

        return request;
    }
}

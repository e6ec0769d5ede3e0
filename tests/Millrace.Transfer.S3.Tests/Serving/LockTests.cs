using System.Xml.Linq;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>WebDAV's locks with two servers of a bucket: what one grants holds at the other, for every protocol.</summary>
public sealed class LockTests : BucketTest
{
    private const string Exclusive =
        "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>";

    private static readonly XNamespace D = "DAV:";

    [NeedsFact(Need.Ceph)]
    public async Task Lock_holds_at_the_other_server_for_every_protocol_until_it_is_unlocked_there()
    {
        await Bucket.PutAsync("a", "old"u8.ToArray());
        await Bucket.PutAsync("b", "other"u8.ToArray());
        Write("file", 10);
        await using ServedBucket one = await ServeAsync();
        await using ServedBucket two = await ServeAsync();

        // The other server has just looked, and found no lock; yet it knows the token.
        Assert.Equal(204, await StatusAsync(two, "PUT", "b", "other"));
        string token = await LockAsync(one, "a");
        Assert.Equal(204, await StatusAsync(two, "PUT", "a", "old", ("If", $"(<{token}>)")));
        await SeesAsync(two, "a", token);

        Assert.Equal(423, await StatusAsync(two, "LOCK", "a", Exclusive));
        Assert.Equal(423, await StatusAsync(two, "PUT", "a", "new"));
        Assert.Equal(423, await StatusAsync(two, "DELETE", "a"));
        Assert.Equal(423, await StatusAsync(two, "MOVE", "a", null, ("Destination", "/files/c")));
        Assert.Equal(423, await StatusAsync(two, "MOVE", "b", null, ("Destination", "/files/a")));
        Assert.Equal(423, await StatusAsync(two, "COPY", "b", null, ("Destination", "/files/a")));
        foreach (string via in (string[])["http1", "tus", "grpc"])
        {
            (int exitCode, string output, string error) = await MillraceCommand.RunAsync(
                Folder.Path, null, "put", "--attempts", "1", "--via", via, "file", two.Files + "a");
            Assert.True(exitCode != 0, $"{via}: {output}{error}");
            Assert.Contains("locked", error, StringComparison.Ordinal);
        }

        using (HttpResponseMessage started = await StartTusAsync(two, null))
        {
            Assert.Equal(423, (int)started.StatusCode);
        }

        Assert.Equal("old", await two.Client.GetStringAsync(new Uri(two.Files + "a")));
        Assert.Equal(["a", "b"], await Bucket.VisibleAsync());

        // The token is as good there as at the server that gave it out.
        Assert.Equal(204, await StatusAsync(two, "PUT", "a", "new", ("If", $"(<{token}>)")));
        using (HttpResponseMessage started = await StartTusAsync(two, token))
        {
            Assert.Equal(201, (int)started.StatusCode);
        }

        Assert.Equal(204, await StatusAsync(two, "UNLOCK", "a", null, ("Lock-Token", $"<{token}>")));
        Assert.Equal(204, await StatusAsync(two, "PUT", "a", "free"));
        await Bounded.UntilAsync(async () => await StatusAsync(one, "PUT", "a", "free") == 204);
        Assert.Equal(409, await StatusAsync(one, "UNLOCK", "a", null, ("Lock-Token", $"<{token}>")));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Lock_survives_the_death_of_its_server_and_ends_when_its_time_is_over()
    {
        string token;
        string unused;
        await using (ServedBucket one = await ServeAsync())
        {
            await Bucket.PutAsync("a", "old"u8.ToArray());
            token = await LockAsync(one, "a");
            unused = await LockAsync(one, "unused");
            await one.KillAsync();
        }

        await using ServedBucket again = await ServeAsync();
        await using ServedBucket two = await ServeAsync();
        foreach (ServedBucket server in (ServedBucket[])[again, two])
        {
            Assert.Equal(423, await StatusAsync(server, "PUT", "a", "new"));
            Assert.Equal(204, await StatusAsync(server, "PUT", "a", "mine", ("If", $"(<{token}>)")));
        }

        // An empty file is a content too, whose version in a bucket is that of every empty file.
        string written = await LockAsync(again, "written");
        Assert.Equal(204, await StatusAsync(two, "PUT", "written", "", ("If", $"(<{written}>)")));
        Assert.Equal(200, await StatusAsync(two, "LOCK", "written", null, ("If", $"(<{written}>)"), ("Timeout", "Second-1")));

        // A refresh at one server counts at the other one, as does the end.
        Assert.Equal(200, await StatusAsync(two, "LOCK", "a", null, ("If", $"(<{token}>)"), ("Timeout", "Second-1")));
        Assert.Equal(200, await StatusAsync(again, "LOCK", "unused", null, ("If", $"(<{unused}>)"), ("Timeout", "Second-1")));
        await Bounded.UntilAsync(async () => await StatusAsync(again, "PUT", "a", "new") == 204);
        Assert.Equal(412, await StatusAsync(two, "PUT", "a", "new", ("If", $"(<{token}>)")));
        await Bounded.UntilAsync(async () =>
            await StatusAsync(two, "PROPFIND", "unused", null, ("Depth", "0")) == 404
            && await StatusAsync(again, "PROPFIND", "unused", null, ("Depth", "0")) == 404);
        await Bounded.UntilAsync(async () => await StatusAsync(two, "PUT", "written", "new") == 204);
        Assert.Equal(["a", "written"], await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Of_two_servers_that_lock_one_name_at_once_one_wins()
    {
        await using ServedBucket one = await ServeAsync();
        await using ServedBucket two = await ServeAsync();
        for (int round = 0; round < Soak.Times(6, 100); round++)
        {
            string name = $"file{round}";
            if (round % 2 == 0)
            {
                await Bucket.PutAsync(name, "old"u8.ToArray());
            }

            int[] answers = await Task.WhenAll(Enumerable.Range(0, 6).Select(
                i => StatusAsync(i % 2 == 0 ? one : two, "LOCK", name, Exclusive)));
            Assert.True(
                answers.Count(static answer => answer is 200 or 201) == 1 && answers.Count(static answer => answer == 423) == 5,
                $"Round {round}: {string.Join(' ', answers)}");

            // Those that lost have not taken the file of the winner away.
            Assert.Equal(200, await StatusAsync(one, "HEAD", name));
        }
    }

    private static async Task<string> LockAsync(ServedBucket server, string name)
    {
        using HttpResponseMessage locked = await SendAsync(server, "LOCK", name, Exclusive);
        Assert.True(locked.IsSuccessStatusCode, $"{locked.StatusCode}: {await locked.Content.ReadAsStringAsync()}");
        return locked.Headers.GetValues("Lock-Token").Single().Trim('<', '>');
    }

    /// <summary>Waits until a server shows a lock that another one has granted: it looks once a second.</summary>
    private static Task SeesAsync(ServedBucket server, string name, string token) => Bounded.UntilAsync(async () =>
    {
        using HttpResponseMessage found = await SendAsync(server, "PROPFIND", name, null, ("Depth", "0"));
        return XDocument.Parse(await found.Content.ReadAsStringAsync()).Descendants(D + "locktoken").Any(shown => shown.Value == token);
    });

    private static async Task<int> StatusAsync(
        ServedBucket server, string method, string name, string? content = null, params (string Field, string Value)[] fields)
    {
        using HttpResponseMessage response = await SendAsync(server, method, name, content, fields);
        return (int)response.StatusCode;
    }

    private static async Task<HttpResponseMessage> SendAsync(
        ServedBucket server, string method, string name, string? content, params (string Field, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(server.Files + name));
        request.Content = content is null ? null : new StringContent(content);
        foreach ((string field, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(field, value);
        }

        return await server.Client.SendAsync(request);
    }

    private static async Task<HttpResponseMessage> StartTusAsync(ServedBucket server, string? token)
    {
        using var create = new HttpRequestMessage(HttpMethod.Post, new Uri("/uploads", UriKind.Relative));
        create.Headers.Add("Tus-Resumable", "1.0.0");
        create.Headers.Add("Upload-Length", "3");
        create.Headers.Add("Upload-Metadata", "filename " + Convert.ToBase64String("a"u8));
        if (token is not null)
        {
            create.Headers.TryAddWithoutValidation("If", $"(<{token}>)");
        }

        return await server.Client.SendAsync(create);
    }
}

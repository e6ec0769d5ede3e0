namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>`millrace serve --hook` over a bucket: several servers, one of which delivers.</summary>
public sealed class HookTests : BucketTest
{
    private Task<ServedBucket> ServeAsync(HookReceiver receiver, params string[] options)
    {
        Folder.Write("secret", Encoding.UTF8.GetBytes(HookReceiver.Secret));
        return ServeAsync(["--hook", receiver.Url.AbsoluteUri, "--hook-secret-file", Folder["secret"], .. options]);
    }

    private static async Task<HttpStatusCode> SendAsync(
        ServedBucket server, string method, string name, byte[]? content = null, string? destination = null)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(server.Files + name));
        request.Content = content is null ? null : new ByteArrayContent(content);
        if (destination is not null)
        {
            request.Headers.Add("Destination", server.Files + destination);
        }

        using HttpResponseMessage response = await server.Client.SendAsync(request);
        return response.StatusCode;
    }

    [NeedsFact(Need.Ceph)]
    public async Task Events_of_two_servers_arrive_in_order_for_each_name()
    {
        const int Names = 3;
        const int Rounds = 4;
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        receiver.Answer = static (number, _) => Task.FromResult(number % 5 == 0 ? 500 : 204);
        await using ServedBucket one = await ServeAsync(receiver);
        await using ServedBucket two = await ServeAsync(receiver);
        await Task.WhenAll(Enumerable.Range(0, Names).Select(async name =>
        {
            for (int i = 1; i <= Rounds; i++)
            {
                HttpStatusCode status = await SendAsync(i % 2 == name % 2 ? one : two, "PUT", $"{name}", new byte[i]);
                Assert.True(status is HttpStatusCode.Created or HttpStatusCode.NoContent, $"{status}");
            }

            Assert.Equal(HttpStatusCode.Created, await SendAsync(two, "MOVE", $"{name}", destination: $"moved-{name}"));
            Assert.Equal(HttpStatusCode.Created, await SendAsync(one, "PUT", $"{name}", new byte[9]));
            Assert.Equal(HttpStatusCode.NoContent, await SendAsync(two, "DELETE", $"{name}"));
        }));

        await Bounded.UntilAsync(() => receiver.Events.Count == Names * (Rounds + 3));
        for (int name = 0; name < Names; name++)
        {
            Assert.Equal(
                [
                    $"file.created {name} 1",
                    .. Enumerable.Range(2, Rounds - 1).Select(i => $"file.replaced {name} {i}"),
                    $"file.moved {name} > moved-{name} {Rounds}",
                    $"file.created {name} 9",
                    $"file.deleted {name}",
                ],
                receiver.Events.Where(e => e.Subject == $"{name}" || e.From == $"{name}").Select(static e => e.ToString()));
        }

        Assert.Equal(0, receiver.Unsigned);
        await Bounded.UntilAsync(async () => !(await Bucket.KeysAsync()).Any(static key =>
            key.Contains("events/queue/", StringComparison.Ordinal) || key.Contains("events/claims/", StringComparison.Ordinal)));
    }

    [NeedsFact(Need.Ceph)]
    [Trait("Tier", "All")]
    public async Task Events_of_a_killed_server_are_delivered_by_the_other_one()
    {
        const int Names = 8;
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        receiver.Answer = static (_, _) => Task.FromResult(503);
        ServedBucket one = await ServeAsync(receiver);
        await using ServedBucket two = await ServeAsync(receiver);
        var published = new int[Names];
        Task[] writing = [.. Enumerable.Range(0, Names).Select(async name =>
        {
            try
            {
                for (int i = 1; ; i++)
                {
                    using HttpResponseMessage response = await one.Client.PutAsync(new Uri($"{one.Files}{name}"), new ByteArrayContent(new byte[i]));
                    response.EnsureSuccessStatusCode();
                    published[name] = i;
                }
            }
            catch (HttpRequestException)
            {
                // Killed.
            }
        })];
        await Bounded.UntilAsync(() => published.All(static last => last >= 2));
        await one.KillAsync();
        await Task.WhenAll(writing);
        receiver.Answer = static (_, _) => Task.FromResult(204);

        // The last request of each may have been executed or not.
        for (int name = 0; name < Names; name++)
        {
            published[name] = (await two.Client.GetByteArrayAsync(new Uri($"{two.Files}{name}"))).Length;
        }

        await Bounded.UntilAsync(() => receiver.Events.Count >= published.Sum());

        // Its names are free again.
        Assert.Equal(HttpStatusCode.Created, await SendAsync(two, "PUT", "last", new byte[1]));
        for (int name = 0; name < Names; name++)
        {
            Assert.Equal(HttpStatusCode.NoContent, await SendAsync(two, "DELETE", $"{name}"));
        }

        await Bounded.UntilAsync(() => receiver.Events.Count >= published.Sum() + Names + 1);
        for (int name = 0; name < Names; name++)
        {
            Assert.Equal(
                [$"file.created {name} 1", .. Enumerable.Range(2, published[name] - 1).Select(i => $"file.replaced {name} {i}"), $"file.deleted {name}"],
                receiver.Events.Where(e => e.Subject == $"{name}").Select(static e => e.ToString()));
        }

        await one.DisposeAsync();
    }

    [NeedsFact(Need.Ceph)]
    public async Task Full_outbox_refuses_changes_or_drops_the_oldest()
    {
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        bool takes = false;
        receiver.Answer = (_, _) => Task.FromResult(Volatile.Read(ref takes) ? 204 : 503);
        await using (ServedBucket refusing = await ServeAsync(receiver, "--hook-limit", "2"))
        {
            int files = 0;
            await Bounded.UntilAsync(async () => await SendAsync(refusing, "PUT", $"{++files}", [1]) == HttpStatusCode.InsufficientStorage);
            Assert.InRange(files, 3, 1000);
            Assert.Equal(HttpStatusCode.NotFound, await SendAsync(refusing, "HEAD", $"{files}"));
        }

        await using ServedBucket dropping = await ServeAsync(receiver, "--hook-limit", "2", "--hook-full", "drop");
        for (int i = 0; i < 5; i++)
        {
            Assert.Equal(HttpStatusCode.Created, await SendAsync(dropping, "PUT", $"more{i}", [1]));
        }

        Volatile.Write(ref takes, true);
        await Bounded.UntilAsync(() => receiver.Events.Any(static e => e.Subject == "more4"));
        await Bounded.UntilAsync(() => receiver.Events.Any(static e => e.Type == "events.dropped"));
    }
}

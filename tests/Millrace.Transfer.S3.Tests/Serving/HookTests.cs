using System.Collections.Concurrent;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>`millrace serve --hook` over a bucket: several servers, one of which delivers.</summary>
public sealed class HookTests : BucketTest
{
    private Task<ServedBucket> ServeAsync(HookReceiver receiver, params string[] options)
    {
        Folder.Write("secret", Encoding.UTF8.GetBytes(HookReceiver.Secret));
        return ServeAsync(["--hook", receiver.Url.AbsoluteUri, "--hook-secret-file", Folder["secret"], .. options]);
    }

    private static Task<HttpStatusCode> SendAsync(
        ServedBucket server, string method, string name, byte[]? content = null, string? destination = null) =>
        HookClient.SendAsync(server.Client, server.Files, method, name, content, destination);

    private async Task<bool> NothingWaitsAsync() => !(await Bucket.KeysAsync()).Any(static key =>
        key.Contains("events/queue/", StringComparison.Ordinal) || key.Contains("events/claims/", StringComparison.Ordinal));

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
        await Bounded.UntilAsync(NothingWaitsAsync);
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
    [Trait("Tier", "All")]
    public async Task Killed_servers_of_a_bucket_lose_no_event_and_invent_none()
    {
        const int Clients = 6;
        var random = new Random(6);
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        receiver.Answer = static (number, _) => Task.FromResult(number % 200 == 0 ? 500 : 204);
        using var http = new HttpClient { Timeout = Bounded.Patience };
        var clients = new ConcurrentBag<HookClient>();
        ServedBucket?[] servers = [await ServeAsync(receiver), await ServeAsync(receiver)];
        int number = 0;
        bool ends = false;

        // The names of a request that was cut stay claimed for half a minute: its client goes on with others.
        Task[] running = [.. Enumerable.Range(0, Clients).Select(client => Task.Run(async () =>
        {
            while (!Volatile.Read(ref ends))
            {
                var pair = new HookClient(Interlocked.Increment(ref number), http, movesInSteps: true);
                clients.Add(pair);
                await pair.RunAsync(() => Volatile.Read(ref ends) ? null : Any(servers, client)?.Files);
            }
        }))];
        try
        {
            for (int i = 0; i < HookClient.Kills; i++)
            {
                await Task.Delay(random.Next(20, 400));
                int killed = random.Next(2);
                await using (ServedBucket old = Interlocked.Exchange(ref servers[killed], null)!)
                {
                    await old.KillAsync();
                }

                Volatile.Write(ref servers[killed], await ServeAsync(receiver));
            }

            Volatile.Write(ref ends, true);
            await Task.WhenAll(running);

            // Not all at once: a server accepts 900 connections, and hundreds of kills leave more clients.
            await Parallel.ForEachAsync(clients, async (client, _) => await client.FindOutAsync(servers[0]!.Files));
            (int Count, long Since) seen = (-1, 0);
            while (!await NothingWaitsAsync())
            {
                seen = receiver.Count > seen.Count ? (receiver.Count, Environment.TickCount64) : seen;
                Assert.True(Environment.TickCount64 - seen.Since < Bounded.Patience.TotalMilliseconds, "No event has arrived for a long time.");
                await Task.Delay(500);
            }
        }
        finally
        {
            foreach (ServedBucket server in servers.OfType<ServedBucket>())
            {
                await server.DisposeAsync();
            }
        }

        ILookup<string, HookReceiver.Received> events = receiver.ByName;
        Assert.All(clients, client => client.Verify(events));
        Assert.Equal(0, receiver.Unsigned);

        // One of those that live.
        static ServedBucket? Any(ServedBucket?[] servers, int client) =>
            Volatile.Read(ref servers[Random.Shared.Next(2)]) ?? Volatile.Read(ref servers[client % 2]) ?? Volatile.Read(ref servers[1 - (client % 2)]);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Upload_that_expires_is_reported_once_by_two_servers()
    {
        var received = new Received();
        await using (S3FileStore early = this.Open())
        await using (FileEvents begins = await FileEvents.OpenAsync(early, new FileEventOptions { Receiver = received }))
        {
            // Of a store whose uploads live longer than it takes a busy machine to write down that this one was started.
            await begins.Store.StartUploadAsync(new StartUploadOptions { Name = "expires".Name(), Length = 3 }, default);
        }

        await using S3FileStore one = Open();
        await using S3FileStore two = Open();
        await using FileEvents first = await FileEvents.OpenAsync(one, new FileEventOptions { Receiver = received });
        await using FileEvents second = await FileEvents.OpenAsync(two, new FileEventOptions { Receiver = received });
        await Bounded.UntilAsync(async () =>
        {
            await Task.WhenAll(one.ExpireUploadsAsync(default).AsTask(), two.ExpireUploadsAsync(default).AsTask());
            return received.Events.Any(static e => e.Kind == FileEventKind.UploadExpired);
        });
        await second.Store.CreateFolderAsync("last".Name(), default);
        await Bounded.UntilAsync(() => received.Events.Any(static e => e.Kind == FileEventKind.Created));
        Assert.Equal(
            [FileEventKind.UploadStarted, FileEventKind.UploadExpired, FileEventKind.Created], received.Events.DistinctBy(static e => e.Id).Select(static e => e.Kind));
        Assert.Single(received.Events.Where(static e => e.Upload is not null).Select(static e => (e.Name, e.Upload, e.Length)).Distinct());

        S3FileStore Open() => this.Open(configure: static options =>
        {
            options.UploadLifetime = TimeSpan.FromSeconds(2);
            options.EmptyUploadLifetime = TimeSpan.FromSeconds(1);
        });
    }

    [NeedsFact(Need.Ceph)]
    public async Task Upload_that_expires_while_no_server_runs_is_reported_after_the_next_start()
    {
        UploadId id;
        var received = new Received();
        await using (S3FileStore first = Open())
        await using (FileEvents events = await FileEvents.OpenAsync(first, new FileEventOptions { Receiver = received }))
        {
            await using StoredUpload upload = await events.Store.Uploads.StartAsync(new StartUploadOptions { Name = "expires".Name(), Length = 3 }, default);
            id = upload.Status.Id;
        }

        await using S3FileStore second = Open();
        await Bounded.UntilAsync(async () => await second.Uploads.FindAsync(id, default) is null);
        Assert.Equal(0, await second.ExpireUploadsAsync(default));
        await using FileEvents again = await FileEvents.OpenAsync(second, new FileEventOptions { Receiver = received });
        await Bounded.UntilAsync(async () =>
        {
            await second.ExpireUploadsAsync(default);
            return received.Events.Any(static e => e.Kind == FileEventKind.UploadExpired);
        });
        Assert.Equal([FileEventKind.UploadStarted, FileEventKind.UploadExpired], received.Events.DistinctBy(static e => e.Id).Select(static e => e.Kind));

        S3FileStore Open() => this.Open(configure: static options =>
        {
            options.UploadLifetime = TimeSpan.FromSeconds(2);
            options.EmptyUploadLifetime = TimeSpan.FromSeconds(1);
            options.TimeProvider = new StoppedStopwatch();
        });
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

    /// <summary>A store waits for the receiver for a minute, and this machine may be slower.</summary>
    private sealed class StoppedStopwatch : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }

    private sealed class Received : IFileEvents
    {
        public ConcurrentQueue<FileEvent> Events { get; } = new();

        public ValueTask DeliverAsync(FileEvent fileEvent, CancellationToken cancellationToken)
        {
            Events.Enqueue(fileEvent);
            return default;
        }
    }
}

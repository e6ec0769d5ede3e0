using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve --hook`: each change is reported, once or more, in order for each name.</summary>
public sealed class HookTests : CommandTests
{
    private Task<ServedCommand> ServeAsync(HookReceiver receiver, params string[] options)
    {
        Directory.CreateDirectory(Folder["served"]);
        File.WriteAllText(Folder["secret"], HookReceiver.Secret + "\n");
        return ServeAsync("served", ["--hook", receiver.Url.AbsoluteUri, "--hook-secret-file", Folder["secret"], .. options]);
    }

    private static Task<HttpStatusCode> SendAsync(
        ServedCommand server, string method, string name, byte[]? content = null, string? destination = null) =>
        HookClient.SendAsync(server.Client, server.Files, method, name, content, destination);

    private static Task<HttpStatusCode> PutAsync(ServedCommand server, string name, int length) =>
        SendAsync(server, "PUT", name, new byte[length]);

    private static async Task<int> DavAsync(
        ServedCommand server, string method, string name, string? body = null, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), new Uri(server.Files + name));
        request.Content = body is null ? null : new StringContent(body);
        foreach ((string field, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(field, value);
        }

        using HttpResponseMessage response = await server.Client.SendAsync(request);
        return (int)response.StatusCode;
    }

    /// <summary>Waits for the last event of each name: those of different names are delivered at the same time, in any order.</summary>
    private static Task ArrivedAsync(HookReceiver receiver, params string[] last) =>
        Bounded.UntilAsync(() => !last.Except(receiver.Events.Select(static e => e.ToString())).Any());

    [Fact]
    public async Task Webdav_reports_what_changes_and_nothing_of_hidden_names()
    {
        const string Exclusive =
            "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>";
        const string Dated =
            "<D:propertyupdate xmlns:D=\"DAV:\"><D:set><D:prop><D:getlastmodified>Sat, 28 Nov 2026 07:00:00 GMT</D:getlastmodified></D:prop></D:set></D:propertyupdate>";
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        Write("served/f/.hidden", 3);
        Write("served/f/one", 1);
        Write("served/h/old", 2);
        using ServedCommand server = await ServeAsync(receiver, "--hide", "dotfiles", "--trash", "1d");

        // Refused: nothing may be made or changed under such a name, and a folder does not go with what it hides.
        Assert.Equal(403, await DavAsync(server, "PUT", ".new", "x"));
        Assert.Equal(403, await DavAsync(server, "COPY", "f/one", null, ("Destination", "/files/.new")));
        Assert.Equal(403, await DavAsync(server, "MOVE", "f/one", null, ("Destination", "/files/.new")));
        Assert.Equal(403, await DavAsync(server, "LOCK", ".new", Exclusive));
        Assert.Equal(404, await DavAsync(server, "DELETE", "f/.hidden"));
        Assert.Equal(409, await DavAsync(server, "DELETE", "f/"));
        Assert.Equal(409, await DavAsync(server, "MOVE", "f/", null, ("Destination", "/files/g/"), ("Overwrite", "F")));

        // Not of interest: the date, and the lock of a file.
        Assert.Equal(207, await DavAsync(server, "PROPPATCH", "f/one", Dated));
        Assert.Equal(200, await DavAsync(server, "LOCK", "f/one", Exclusive, ("Timeout", "Second-1")));

        // A copied folder has one event, its files have theirs; hidden ones are not copied.
        Assert.Equal(201, await DavAsync(server, "COPY", "f/", null, ("Destination", "/files/copy/")));
        Assert.Equal(204, await DavAsync(server, "DELETE", "copy/"));

        // A lock's empty file is a file until nobody writes to it.
        Assert.Equal(201, await DavAsync(server, "LOCK", "unused", Exclusive, ("Timeout", "Second-1")));
        await Bounded.UntilAsync(async () => await DavAsync(server, "PROPFIND", "unused", null, ("Depth", "0")) == 404);
        await Bounded.UntilAsync(async () => await DavAsync(server, "MOVE", "f/?hidden", null, ("Destination", "/files/h/"), ("Overwrite", "T")) == 204);
        Assert.Equal(201, await DavAsync(server, "PUT", "last", "x"));
        await ArrivedAsync(receiver, "file.created last 1", "folder.deleted copy", "file.created copy/one 1", "file.deleted unused");
        await Bounded.UntilAsync(() => receiver.Events.Any(static e => e is { Type: "folder.moved", Subject: "h" }));

        Assert.DoesNotContain(receiver.Events, static e => e.Subject!.Contains("/.", StringComparison.Ordinal) || e.Subject[0] == '.');
        Assert.DoesNotContain(receiver.Events, static e => e.Subject == "f/one");
        Assert.Equal(["folder.created copy", "folder.deleted copy"], Of("copy"));
        Assert.Equal(["file.created copy/one 1"], Of("copy/one"));
        Assert.Equal(["file.created unused 0", "file.deleted unused"], Of("unused"));
        string[] replaced = [.. receiver.Events.Where(static e => e.From is "f" || e.Subject == "h").Select(static e => e.ToString())];
        string beside = replaced[^1].Split(' ')[1];
        Assert.StartsWith("h.new-", beside, StringComparison.Ordinal);

        // The last one comes after both, which have no name in common.
        Assert.Equal(["folder.deleted h", $"folder.moved f > {beside}", $"folder.moved {beside} > h"], [.. replaced[..^1].Order(StringComparer.Ordinal), replaced[^1]]);
        Assert.True(File.Exists(Folder["served/h/.hidden"]));

        IEnumerable<string> Of(string name) => receiver.Events.Where(e => e.Subject == name).Select(static e => e.ToString());
    }

    [Fact]
    public async Task Every_way_to_change_files_is_reported()
    {
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        using ServedCommand server = await ServeAsync(receiver, "--trash", "1d");
        byte[] content = Write("file", 1000);
        foreach (string via in new[] { "http1", "http2", "tus", "grpc", "grpc-web" })
        {
            await SucceedAsync("put", "file", server.Files + via, "--via", via);
            Assert.Equal(HttpStatusCode.NoContent, await PutAsync(server, via, 7));
        }

        Assert.Equal(HttpStatusCode.Created, await SendAsync(server, "COPY", "tus", destination: "copy"));
        Assert.Equal(HttpStatusCode.Created, await SendAsync(server, "MKCOL", "folder/"));
        Assert.Equal(HttpStatusCode.Created, await SendAsync(server, "MOVE", "copy", destination: "folder/moved"));
        Assert.Equal(HttpStatusCode.Created, await SendAsync(server, "MOVE", "folder/", destination: "other/"));
        Assert.Equal(HttpStatusCode.NoContent, await SendAsync(server, "DELETE", "other/moved"));
        await SucceedAsync("trash", "restore", server.Files + "other/moved");
        Assert.Equal(HttpStatusCode.NoContent, await SendAsync(server, "DELETE", "other/"));

        // What changes nothing is not reported.
        Assert.Equal(HttpStatusCode.NotFound, await SendAsync(server, "DELETE", "none"));
        Assert.Equal(HttpStatusCode.Conflict, await SendAsync(server, "MKCOL", "none/none/"));
        Write("tree/a", 10);
        await SucceedAsync("put", "--atomic", "tree", server.Files);
        await PutAsync(server, "last", 1);

        string[] ways = ["http1", "http2", "tus", "grpc", "grpc-web"];
        string[] others = ["file.moved copy > folder/moved 7", "file.created other/moved 7", "folder.deleted other", "file.created last 1"];
        await ArrivedAsync(receiver, [.. ways.Select(static via => $"file.replaced {via} 7"), .. others]);
        await Bounded.UntilAsync(() => receiver.Events.Any(static e => e.Subject == "tree"));
        Assert.Equal(0, receiver.Unsigned);
        foreach (string via in ways)
        {
            Assert.Equal([$"file.created {via} 1000", $"file.replaced {via} 7"], Of(via).Where(static e => !e.StartsWith("upload", StringComparison.Ordinal)));
        }

        Assert.Contains("upload.started tus 1000", Of("tus"));
        Assert.Equal(["file.created copy 7", "file.moved copy > folder/moved 7"], Of("copy").Concat(Of("folder/moved")));
        Assert.Equal(["folder.created folder"], Of("folder"));
        Assert.Equal(["file.deleted other/moved", "file.created other/moved 7"], Of("other/moved"));
        Assert.Equal(["folder.moved folder > other", "folder.deleted other"], Of("other"));
        Assert.DoesNotContain(receiver.Events, static e => e.Subject?.StartsWith("none", StringComparison.Ordinal) == true);
        Assert.Contains(receiver.Events, static e => e.Subject == "tree");

        HookReceiver.Received first = receiver.Events.First(static e => e.Subject == "http1");
        Assert.Equal("1.0", first.Json.GetProperty("specversion").GetString());
        Assert.Equal("/files", first.Json.GetProperty("source").GetString());
        Assert.True(first.Json.GetProperty("time").GetDateTimeOffset() > DateTimeOffset.UtcNow.AddHours(-1));
        Assert.Equal(Convert.ToHexStringLower(SHA256.HashData(content)), HookReceiver.Received.Text(first.Data, "sha256"));
        Assert.StartsWith("\"", HookReceiver.Received.Text(first.Data, "etag"), StringComparison.Ordinal);

        IEnumerable<string> Of(string name) => receiver.Events.Where(e => e.Subject == name).Select(static e => e.ToString());
    }

    [Fact]
    public async Task Receiver_that_is_down_slow_or_fails_gets_all_in_order_afterwards()
    {
        // Bound, so that nobody else gets the port while the receiver is gone. Windows does not let two have it.
        using Socket held = TestPort.Hold();
        HookReceiver receiver = await HookReceiver.StartAsync(OperatingSystem.IsWindows() ? 0 : ((IPEndPoint)held.LocalEndPoint!).Port);
        int port = receiver.Url.Port;

        // Each kind of failure, then a receiver that is gone.
        receiver.Answer = static async (number, context) =>
        {
            await Task.Delay(number % 3 * 20);
            context.Response.Headers.Location = "/elsewhere";
            return new[] { 500, 302, 429, 410, 422, 204 }[number % 6];
        };
        using ServedCommand server = await ServeAsync(receiver);
        for (int i = 1; i <= 6; i++)
        {
            foreach (string name in new[] { "a", "b", "c" })
            {
                await PutAsync(server, name, i);
            }

            if (i == 3)
            {
                await Bounded.UntilAsync(() => receiver.Requests >= 3);
                await receiver.DisposeAsync();
            }
        }

        IReadOnlyList<HookReceiver.Received> before = receiver.Events;
        await using HookReceiver again = await HookReceiver.StartAsync(port);
        await Bounded.UntilAsync(() => before.Concat(again.Events).DistinctBy(static e => e.Json.GetProperty("id").GetString()).Count() == 18);
        foreach (string name in new[] { "a", "b", "c" })
        {
            Assert.Equal(
                Enumerable.Range(1, 6).Select(static i => (long?)i),
                before.Concat(again.Events).DistinctBy(static e => e.Json.GetProperty("id").GetString()).Where(e => e.Subject == name).Select(static e => e.Size));
        }
    }

    [Fact]
    public async Task Full_outbox_refuses_changes()
    {
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        bool takes = false;
        receiver.Answer = (_, _) => Task.FromResult(Volatile.Read(ref takes) ? 204 : 503);
        using ServedCommand server = await ServeAsync(receiver, "--hook-limit", "2");
        Assert.Equal(HttpStatusCode.Created, await PutAsync(server, "a", 1));
        Assert.Equal(HttpStatusCode.Created, await PutAsync(server, "b", 1));
        Assert.Equal(HttpStatusCode.InsufficientStorage, await PutAsync(server, "c", 1));
        Assert.Equal(HttpStatusCode.InsufficientStorage, await SendAsync(server, "DELETE", "a"));
        Assert.False(File.Exists(Folder["served/c"]));
        Assert.True(File.Exists(Folder["served/a"]));

        Volatile.Write(ref takes, true);
        await Bounded.UntilAsync(async () => await PutAsync(server, "c", 1) == HttpStatusCode.Created);
        await Bounded.UntilAsync(() => receiver.Events.Count == 3);

        // Those of different names in any order.
        Assert.Equal(["file.created a 1", "file.created b 1", "file.created c 1"], receiver.Events.Select(static e => e.ToString()).Order(StringComparer.Ordinal));
    }

    /// <param name="limit">Of the outbox.</param>
    /// <param name="failing">Events that are delivered at the same time, so that none can be dropped before these deliveries fail.</param>
    /// <param name="events">All events.</param>
    [Theory]
    [InlineData(5, 1, 20)]
    [InlineData(2, 3, 3)]
    public async Task Full_outbox_drops_the_oldest_and_says_how_many(int limit, int failing, int events)
    {
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        var fails = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var takes = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        receiver.Answer = async (number, _) =>
        {
            await (number > failing ? takes : fails).Task;
            return number > failing ? 204 : 503;
        };
        using ServedCommand server = await ServeAsync(receiver, "--hook-limit", $"{limit}", "--hook-full", "drop");
        for (int i = 1; i <= events; i++)
        {
            Assert.Equal(HttpStatusCode.Created, await PutAsync(server, $"{i}", i));
            if (i == failing)
            {
                await Bounded.UntilAsync(() => receiver.Requests >= failing);
                fails.SetResult();

                // Once it tries again, the server has seen that all failed, and delivers one event at a time.
                await Bounded.UntilAsync(() => receiver.Requests > failing);
            }
        }

        takes.SetResult();
        await Bounded.UntilAsync(() => receiver.Events.Any(e => e.Subject == $"{events}")
            && receiver.Events.Where(static e => e.Type == "events.dropped").Sum(static e => e.Data.GetProperty("dropped").GetInt64())
                + receiver.Events.Count(static e => e.Type == "file.created") == events);
        Assert.Equal(limit, receiver.Events.Count);
    }

    [Fact]
    [Trait("Tier", "All")]
    public async Task Killed_server_loses_no_event_and_invents_none()
    {
        const int Clients = 6;
        IsHosted = false;
        KeepsPorts = true;
        var random = new Random(5);
        await using HookReceiver receiver = await HookReceiver.StartAsync();
        receiver.Answer = static (number, _) => Task.FromResult(number % 50 == 0 ? 500 : 204);
        using var http = new HttpClient { Timeout = TimeSpan.FromMinutes(1) };
        HookClient[] clients = [.. Enumerable.Range(0, Clients).Select(number => new HookClient(number, http))];
        using ServedCommand server = await ServeAsync(receiver);
        for (int i = 0; i <= HookClient.Kills; i++)
        {
            Task[] running = [.. clients.Select(client => Task.Run(() => client.RunAsync(() => server.Files)))];
            await Task.Delay(random.Next(20, 400));
            await server.KillAsync();
            await Task.WhenAll(running);
            await server.StartAgainAsync();
            foreach (HookClient client in clients)
            {
                await client.FindOutAsync(server.Files);
            }
        }

        int expected = clients.Sum(static client => client.Expected.Count);
        await Bounded.UntilAsync(() => receiver.Count >= expected);
        ILookup<string, HookReceiver.Received> events = receiver.ByName;
        Assert.All(clients, client => client.Verify(events));
        Assert.Equal(0, receiver.Unsigned);
    }
}

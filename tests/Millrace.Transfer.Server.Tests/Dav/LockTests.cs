using System.Globalization;
using System.Text.Json;
using System.Xml.Linq;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Millrace.Transfer.Server.Tests.Dav;

public sealed class LockTests : DavTest
{
    private readonly ManualClock _clock = new();

    protected override RunningServerOptions Options => new()
    {
        Services = services => services
            .Replace(ServiceDescriptor.Singleton<TimeProvider>(_clock))
            .AddMillraceTransfer(static access => access.OpenWithoutTokens = true),
        Store = new LocalFileStoreOptions { TrashLifetime = TimeSpan.FromDays(1) },
    };

    [Fact]
    public async Task Locked_file_is_changed_only_with_the_token()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        string token = await LockAsync("files/a");
        await StatusIsAsync(423, PutAsync("files/a"));
        await StatusIsAsync(423, SendAsync(HttpMethod.Delete, "files/a"));
        await StatusIsAsync(423, DavAsync("PROPPATCH", "files/a", Set("<D:x/>")));
        await StatusIsAsync(423, DavAsync("MOVE", "files/a", null, ("Destination", "/files/b")));
        await StatusIsAsync(423, DavAsync("LOCK", "files/a", Exclusive));
        await StatusIsAsync(423, DavAsync("LOCK", "files/a", Shared));
        await StatusIsAsync(412, PutAsync("files/a", ("If", "(<urn:uuid:00000000-0000-0000-0000-000000000000>)")));
        await StatusIsAsync(204, PutAsync("files/a", ("If", $"(<{token}>)")));
        await StatusIsAsync(200, GetAsync("files/a"));
        await StatusIsAsync(201, DavAsync("COPY", "files/a", null, ("Destination", "/files/b")));
        await StatusIsAsync(423, DavAsync("COPY", "files/b", null, ("Destination", "/files/a")));
        XElement active = (await FindAsync("files/a", 0)).Single().Value.Descendants(D + "activelock").Single();
        Assert.Equal(token, active.Element(D + "locktoken")!.Value);
        Assert.Equal("me", active.Element(D + "owner")!.Value);
        Assert.Equal("/files/a", active.Element(D + "lockroot")!.Value);
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/a", null, ("Lock-Token", $"<{token}>")));
        await StatusIsAsync(409, DavAsync("UNLOCK", "files/a", null, ("Lock-Token", $"<{token}>")));
        await StatusIsAsync(204, PutAsync("files/a"));
    }

    [Theory]
    [InlineData("(<TOKEN>)")]
    [InlineData("</files/a> (<TOKEN>)")]
    [InlineData("<http://HOST/files/a> (<TOKEN>)")]
    [InlineData("</files/other> ([\"x\"]) </files/a> (<TOKEN>)")]
    public async Task Lock_holds_for_resumable_uploads_and_is_checked_when_they_are_published(string condition)
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        using HttpResponseMessage started = await SendAsync(
            HttpMethod.Post, "uploads", null, ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", "filename YQ=="));
        Assert.Equal(HttpStatusCode.Created, started.StatusCode);
        string token = await LockAsync("files/a");
        string upload = started.Headers.Location!.OriginalString.TrimStart('/');
        var bytes = new ByteArrayContent([1, 2, 3]);
        bytes.Headers.ContentType = new("application/offset+octet-stream");
        await StatusIsAsync(423, SendAsync(HttpMethod.Patch, upload, bytes, ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0")));
        await StatusIsAsync(423, SendAsync(
            HttpMethod.Post, "uploads", null, ("Tus-Resumable", "1.0.0"), ("Upload-Length", "3"), ("Upload-Metadata", "filename YQ==")));
        Assert.Equal([1], await Client.GetByteArrayAsync(Server.Url("files/a")));
        bytes = new ByteArrayContent([1, 2, 3]);
        bytes.Headers.ContentType = new("application/offset+octet-stream");
        await StatusIsAsync(412, SendAsync(
            HttpMethod.Patch, upload, bytes, ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0"), ("If", $"</files/other> (<{token}>)")));
        bytes = new ByteArrayContent([1, 2, 3]);
        bytes.Headers.ContentType = new("application/offset+octet-stream");
        string field = condition.Replace("TOKEN", token, StringComparison.Ordinal).Replace("HOST", Server.Url("").Authority, StringComparison.Ordinal);
        await StatusIsAsync(204, SendAsync(HttpMethod.Patch, upload, bytes, ("Tus-Resumable", "1.0.0"), ("Upload-Offset", "0"), ("If", field)));
        Assert.Equal([1, 2, 3], await Client.GetByteArrayAsync(Server.Url("files/a")));
    }

    [Fact]
    public async Task Put_that_began_before_a_lock_is_not_published_over_it()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        var body = new SlowContent();
        Task<HttpResponseMessage> putting = SendAsync(HttpMethod.Put, "files/a", body);
        await body.Started;
        await LockAsync("files/a");
        body.Finish();
        await StatusIsAsync(423, putting);
        Assert.Equal([1], await Client.GetByteArrayAsync(Server.Url("files/a")));
    }

    [Fact]
    public async Task Lock_of_a_folder_holds_for_everything_in_it_or_for_its_names_alone()
    {
        await Server.WriteAsync("f/a", new byte[] { 1 });
        await Server.WriteAsync("f/g/b", new byte[] { 1 });
        string token = await LockAsync("files/f/");
        await StatusIsAsync(423, PutAsync("files/f/g/b"));
        await StatusIsAsync(423, PutAsync("files/f/g/new"));
        await StatusIsAsync(423, DavAsync("MKCOL", "files/f/h/"));
        await StatusIsAsync(423, DavAsync("LOCK", "files/f/a", Exclusive));
        await StatusIsAsync(204, PutAsync("files/f/g/b", ("If", $"</files/f/> (<{token}>)")));
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/f/a", null, ("Lock-Token", $"<{token}>")));

        token = await LockAsync("files/f/", null, ("Depth", "0"));
        await StatusIsAsync(204, PutAsync("files/f/a"));
        await StatusIsAsync(201, PutAsync("files/f/g/new"));
        await StatusIsAsync(423, PutAsync("files/f/new"));
        await StatusIsAsync(423, SendAsync(HttpMethod.Delete, "files/f/a"));
        await StatusIsAsync(423, DavAsync("MKCOL", "files/f/h/"));
        await StatusIsAsync(201, PutAsync("files/f/new", ("If", $"<{Server.Url("files/f/")}> (<{token}>)")));
    }

    [Fact]
    public async Task Folder_with_a_locked_member_is_neither_deleted_nor_moved_and_the_member_is_named()
    {
        await Server.WriteAsync("f/g/b", new byte[] { 1 });
        await LockAsync("files/f/g/b");
        foreach (Task<HttpResponseMessage> sending in (Task<HttpResponseMessage>[])[
            SendAsync(HttpMethod.Delete, "files/f/"), DavAsync("MOVE", "files/f/", null, ("Destination", "/files/x/"))])
        {
            using HttpResponseMessage answer = await sending;
            Assert.Equal(HttpStatusCode.MultiStatus, answer.StatusCode);
            XElement response = XDocument.Parse(await answer.Content.ReadAsStringAsync()).Descendants(D + "response").Single();
            Assert.Equal(("/files/f/g/b", "HTTP/1.1 423 Locked"), (response.Element(D + "href")!.Value, response.Element(D + "status")!.Value));
        }

        Assert.Equal(["f/g/b"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Shared_locks_are_held_by_several_and_any_of_them_may_write()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        string one = await LockAsync("files/a", Shared);
        string other = await LockAsync("files/a", Shared);
        Assert.NotEqual(one, other);
        await StatusIsAsync(423, DavAsync("LOCK", "files/a", Exclusive));
        await StatusIsAsync(423, PutAsync("files/a"));
        await StatusIsAsync(204, PutAsync("files/a", ("If", $"(<{one}>)")));
        await StatusIsAsync(204, PutAsync("files/a", ("If", $"(<{other}>)")));
    }

    [Fact]
    public async Task Lock_of_a_sync_keeps_out_other_syncs_and_nothing_else()
    {
        const string Body = "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope>"
            + "<D:locktype><sync xmlns=\"https://millrace.dev/\"/></D:locktype><D:owner>Anna &amp; me</D:owner></D:lockinfo>";
        string token = await LockAsync("files/f/", Body, ("Timeout", "Second-60"));
        Assert.Empty(Server.VisibleFiles());
        using (HttpResponseMessage held = await DavAsync("LOCK", "files/f/", Body, ("Accept", "application/problem+json")))
        {
            Assert.Equal(423, (int)held.StatusCode);
            Assert.Equal(TimeSpan.FromSeconds(60), held.Headers.RetryAfter!.Delta);
            using JsonDocument problem = JsonDocument.Parse(await held.Content.ReadAsStringAsync());
            Assert.Equal(
                "Another sync into 'f' is running (Anna & me). If it has been killed, its lock ends in 60 s.",
                problem.RootElement.GetProperty("detail").GetString());
        }

        // Folders in it and above it are other targets, and whatever else is done there goes on.
        await StatusIsAsync(200, DavAsync("LOCK", "files/f/g/", Body));
        await StatusIsAsync(200, DavAsync("LOCK", "files/", Body));
        await StatusIsAsync(201, PutAsync("files/f/a"));
        string write = await LockAsync("files/f/");
        await StatusIsAsync(204, PutAsync("files/f/a", ("If", $"</files/f/> (<{write}>)")));
        Assert.Equal(write, (await FindAsync("files/f/", 0)).Single().Value.Descendants(D + "activelock").Single().Element(D + "locktoken")!.Value);
        await StatusIsAsync(204, SendAsync(HttpMethod.Delete, "files/f/", null, ("If", $"</files/f/> (<{write}>)")));

        // The folder is gone and its lock is not; it is renewed, and ends.
        _clock.Advance(TimeSpan.FromSeconds(50));
        await StatusIsAsync(200, DavAsync("LOCK", "files/f/", null, ("If", $"(<{token}>)"), ("Timeout", "Second-60")));
        _clock.Advance(TimeSpan.FromSeconds(50));
        await StatusIsAsync(423, DavAsync("LOCK", "files/f/", Body));
        _clock.Advance(TimeSpan.FromSeconds(11));
        await StatusIsAsync(412, DavAsync("LOCK", "files/f/", null, ("If", $"(<{token}>)")));
        token = await LockAsync("files/f/", Body);
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/f/", null, ("Lock-Token", $"<{token}>")));
        await StatusIsAsync(200, DavAsync("LOCK", "files/f/", Body));

        // The next run of a client that was killed, which others do not know the key of.
        string keyed = Body.Replace("<sync ", "<sync key=\"k1\" ", StringComparison.Ordinal);
        string first = await LockAsync("files/h/", keyed);
        string next = await LockAsync("files/h/", keyed);
        Assert.NotEqual(first, next);
        await StatusIsAsync(423, DavAsync("LOCK", "files/h/", keyed.Replace("k1", "k2", StringComparison.Ordinal)));
        await StatusIsAsync(423, DavAsync("LOCK", "files/h/", Body));
        await StatusIsAsync(409, DavAsync("UNLOCK", "files/h/", null, ("Lock-Token", $"<{first}>")));
        await StatusIsAsync(204, DavAsync("UNLOCK", "files/h/", null, ("Lock-Token", $"<{next}>")));
        await StatusIsAsync(400, DavAsync("LOCK", "files/h/", keyed.Replace("k1", new string('k', 129), StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Lock_of_an_unused_name_makes_an_empty_file_that_is_gone_when_it_expires_unused()
    {
        using HttpResponseMessage locked = await DavAsync("LOCK", "files/new", Exclusive, ("Timeout", "Second-60"));
        Assert.Equal(HttpStatusCode.Created, locked.StatusCode);
        string token = locked.Headers.GetValues("Lock-Token").Single();
        string used = await LockAsync("files/used", null, ("Timeout", "Second-60"));
        await StatusIsAsync(204, PutAsync("files/used", ("If", $"(<{used}>)")));
        Assert.Equal(["/files/", "/files/new", "/files/used"], (await FindAsync("files/", 1)).Keys.Order(StringComparer.Ordinal));
        await StatusIsAsync(423, PutAsync("files/new"));
        _clock.Advance(TimeSpan.FromSeconds(50));
        await StatusIsAsync(200, DavAsync("LOCK", "files/new", null, ("If", $"({token})"), ("Timeout", "Second-60")));
        _clock.Advance(TimeSpan.FromSeconds(50));
        await StatusIsAsync(200, GetAsync("files/new"));
        _clock.Advance(TimeSpan.FromSeconds(20));
        Assert.Equal(["/files/", "/files/used"], (await FindAsync("files/", 1)).Keys.Order(StringComparer.Ordinal));
        await StatusIsAsync(412, DavAsync("LOCK", "files/new", null, ("If", $"({token})")));
        await StatusIsAsync(201, PutAsync("files/new"));

        // Nobody wants back what nobody wrote.
        Assert.Empty((await Server.Store.Trash!.ListAsync(default, default)).Entries);
    }

    [Theory]
    [InlineData("(<{t}>)", 204)]
    [InlineData("(<{t}> [{e}])", 204)]
    [InlineData("(<{t}> [\"x\"])", 412)]
    [InlineData("(<{t}> Not [\"x\"])", 204)]
    [InlineData("([\"x\"]) (<{t}>)", 204)]
    [InlineData("(Not <DAV:no-lock> <{t}>)", 204)]
    [InlineData("(Not <DAV:no-lock>)", 423)]
    [InlineData("(<DAV:no-lock>)", 412)]
    [InlineData("(Not <{t}>)", 412)]
    [InlineData("(Not <{t}>) ([{e}])", 423)]
    [InlineData("([{e}])", 423)]
    [InlineData("</files/a> (<{t}>)", 204)]
    [InlineData("<{u}files/a> (<{t}>)", 204)]
    [InlineData("</files/b> (<{t}>)", 412)]
    [InlineData("</files/b> (Not <{t}>) </files/a> ([{e}])", 423)]
    [InlineData("<http://example.org/files/a> (<{t}>)", 412)]
    [InlineData("</files/../a> (<{t}>)", 412)]
    [InlineData("(<{t}>", 400)]
    [InlineData("()", 400)]
    [InlineData("<{t}>", 400)]
    [InlineData("(<{t}>) </files/a> (<{t}>)", 400)]
    [InlineData("({t})", 400)]
    [InlineData("x", 400)]
    public async Task Field_If_decides(string field, int status)
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await Server.WriteAsync("b", new byte[] { 1 });
        using HttpResponseMessage get = await GetAsync("files/a");
        string token = await LockAsync("files/a");
        field = field.Replace("{t}", token, StringComparison.Ordinal).Replace("{e}", get.Headers.ETag!.ToString(), StringComparison.Ordinal)
            .Replace("{u}", Server.Url("").AbsoluteUri, StringComparison.Ordinal);
        await StatusIsAsync(status, PutAsync("files/a", ("If", field)));
    }

    [Theory]
    [InlineData("<D:lockinfo xmlns:D=\"DAV:\"/>", "infinity", 400)]
    [InlineData("<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:read/></D:locktype></D:lockinfo>", "0", 400)]
    [InlineData(Exclusive, "1", 400)]
    [InlineData("<x/>", "0", 400)]
    public Task Lock_that_is_none_is_refused_and_makes_no_file(string body, string depth, int status) =>
        StatusIsAsync(status, DavAsync("LOCK", "files/a", body, ("Depth", depth)));

    [Fact]
    public async Task Timeouts_are_limited()
    {
        foreach ((string asked, int seconds) in ((string, int)[])[("Infinite, Second-5", 3600), ("Second-4100000000", 3600), ("Second-30", 30), ("x, Second-0", 1)])
        {
            using HttpResponseMessage locked = await DavAsync("LOCK", $"files/{seconds}{asked.Length}", Exclusive, ("Timeout", asked));
            string text = XDocument.Parse(await locked.Content.ReadAsStringAsync()).Descendants(D + "timeout").Single().Value;
            Assert.InRange(int.Parse(text["Second-".Length..], CultureInfo.InvariantCulture), seconds - 5, seconds);
        }
    }

    [Fact]
    public async Task Of_many_who_lock_at_once_one_gets_the_lock()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        HttpResponseMessage[] all = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => DavAsync("LOCK", "files/a", Exclusive)));
        Assert.Single(all, static one => one.StatusCode == HttpStatusCode.OK);
        Assert.Equal(19, all.Count(static one => one.StatusCode == HttpStatusCode.Locked));
    }

    [Fact]
    public async Task Of_many_who_lock_an_unused_name_at_once_one_gets_the_lock_and_the_empty_file()
    {
        for (int round = 0; round < Soak.Times(5, 200); round++)
        {
            string name = $"files/{round}";
            HttpResponseMessage[] all = await Task.WhenAll(
                Enumerable.Range(0, 20).Select(_ => DavAsync("LOCK", name, Exclusive, ("Timeout", "Second-60"))));
            Assert.True(
                all.Count(static one => one.IsSuccessStatusCode) == 1 && all.Count(static one => one.StatusCode == HttpStatusCode.Locked) == 19,
                string.Join(' ', all.Select(static one => (int)one.StatusCode)));
            await StatusIsAsync(200, GetAsync(name));
        }

        // Whoever got the lock, nobody wrote to the file.
        _clock.Advance(TimeSpan.FromSeconds(61));
        Assert.Equal(["/files/"], (await FindAsync("files/", 1)).Keys);
    }

    [Fact]
    public async Task A_thousand_locks_hold_each_for_its_own_file()
    {
        const int Count = 1000;
        await Server.WriteAsync("f/a", new byte[] { 1 });
        string[] tokens = new string[Count];
        await Parallel.ForAsync(0, Count, new ParallelOptions { MaxDegreeOfParallelism = 8 }, async (i, _) =>
            tokens[i] = await LockAsync($"files/f/{i}"));
        Assert.Equal(Count, tokens.Distinct().Count());
        await StatusIsAsync(423, PutAsync("files/f/999", ("If", $"</files/f/998> (<{tokens[998]}>)")));
        await StatusIsAsync(204, PutAsync("files/f/999", ("If", $"(<{tokens[999]}>)")));
        await StatusIsAsync(204, PutAsync("files/f/a"));
        _clock.Advance(TimeSpan.FromHours(2));
        Assert.Equal(["/files/f/", "/files/f/999", "/files/f/a"], (await FindAsync("files/f/", 1)).Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Locks_and_properties_survive_a_restart()
    {
        using var folder = new TemporaryFolder();
        string token;
        await using (RunningServer first = await RunningServer.StartAsync(new RunningServerOptions { Root = folder.Path }))
        {
            await first.WriteAsync("a", new byte[] { 1 });
            using var request = new HttpRequestMessage(new HttpMethod("LOCK"), first.Url("files/a")) { Content = new StringContent(Exclusive) };
            using HttpResponseMessage locked = await first.Client.SendAsync(request);
            token = locked.Headers.GetValues("Lock-Token").Single();
            using var patch = new HttpRequestMessage(new HttpMethod("PROPPATCH"), first.Url("files/a"))
            {
                Content = new StringContent(Set("<x xmlns=\"urn:x\">1</x>")),
                Headers = { { "If", $"({token})" } },
            };
            using HttpResponseMessage patched = await first.Client.SendAsync(patch);
            Assert.Equal(HttpStatusCode.MultiStatus, patched.StatusCode);
        }

        await using RunningServer second = await RunningServer.StartAsync(new RunningServerOptions { Root = folder.Path });
        using HttpResponseMessage refused = await second.Client.PutAsync(second.Url("files/a"), new ByteArrayContent([2]));
        Assert.Equal(HttpStatusCode.Locked, refused.StatusCode);
        using var find = new HttpRequestMessage(new HttpMethod("PROPFIND"), second.Url("files/a")) { Headers = { { "Depth", "0" } } };
        using HttpResponseMessage found = await second.Client.SendAsync(find);
        Assert.Contains("<x xmlns=\"urn:x\">1</x>", await found.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using var put = new HttpRequestMessage(HttpMethod.Put, second.Url("files/a")) { Content = new ByteArrayContent([2]), Headers = { { "If", $"({token})" } } };
        using HttpResponseMessage written = await second.Client.SendAsync(put);
        Assert.Equal(HttpStatusCode.NoContent, written.StatusCode);
    }

    private Task<HttpResponseMessage> PutAsync(string path, params (string, string)[] fields) =>
        SendAsync(HttpMethod.Put, path, new ByteArrayContent([7, 8, 9]), fields);

    /// <summary>A body that ends when the test lets it.</summary>
    private sealed class SlowContent : HttpContent
    {
        private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _finished = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Started => _started.Task;

        public void Finish() => _finished.SetResult();

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.WriteAsync(new byte[] { 1, 2 });
            await stream.FlushAsync();
            _started.SetResult();
            await _finished.Task;
            await stream.WriteAsync(new byte[] { 3 });
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}

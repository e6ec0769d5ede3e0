using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>POST FOLDER/?batch=get.</summary>
public sealed class BatchGetTests : ServerTest
{
    [Theory]
    [EveryStore]
    public async Task Files_come_whole_and_described_as_by_a_get(bool portable)
    {
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions { Store = new LocalFileStoreOptions { Portable = portable } });
        string[] names = ["a", "deep/b ü%41+", "empty", "large", "again"];
        byte[][] contents = [Content.Of(10), Content.Of(1000), [], Content.Of((int)BatchUpload.MaxFileBytes), Content.Of(70_000)];
        await Batch.PutAsync(
            server.Client, "files/in%20it/?batch", [.. names.Select((name, i) => Batch.File(name, contents[i], ""","modified":"1500000000.123456789","executable":true"""))]);
        await server.WriteAsync("in it/foreign", contents[1]);
        for (int round = 0; round < 2; round++)
        {
            // A second time for what a server keeps in memory.
            var files = await Batch.GetAsync(server.Client, "files/in%20it/?batch=get", [.. names, "foreign", "a"]);
            Assert.Equal([.. names, "foreign", "a"], files.Select(static one => one.Line.Name));
            Assert.Equal([.. contents, contents[1], contents[0]], files.Select(static one => one.Content));
            foreach ((BatchResultDocument line, byte[] content) in files)
            {
                using var request = new HttpRequestMessage(HttpMethod.Get, $"files/in%20it/{TransferName.Parse(line.Name).ToEncoded()}");
                request.Headers.Add("Want-Repr-Digest", "sha-256=10");
                using HttpResponseMessage get = await server.Client.SendAsync(request);
                Assert.Equal(content, await get.Content.ReadAsByteArrayAsync());
                Assert.Equal((200, content.Length, null, null), (line.Status, line.Length, line.Error, line.Detail));
                Assert.Equal((get.Headers.ETag?.ToString(), get.Field("Millrace-Modified")), (line.Tag, line.Modified));
                Assert.Equal(get.Field("Millrace-Executable") == "?1" ? true : null, line.Executable);
                Assert.Equal(get.Field("Repr-Digest"), $"sha-256=:{line.Sha256}:");
            }
        }

        Assert.Empty(server.Complaints);
    }

    [Fact]
    public async Task Names_give_no_more_than_a_get()
    {
        using var outside = new TemporaryFolder();
        await File.WriteAllTextAsync(outside["secret"], "secret");
        await using ServedFolder served = await ServedFolder.StartAsync(static options => options.HiddenNames = [".*", "*.tmp"]);
        foreach (string name in (string[])["a", "d/b", "d/e/c", "d/.hidden", "x.tmp/y", "._d"])
        {
            await served.WriteAsync(name, Encoding.UTF8.GetBytes(name));
        }

        if (!TestedStore.IsBucket)
        {
            await File.WriteAllTextAsync(Path.Combine(served.Folder, NameRules.HiddenFolder, "own"), "own");
            Directory.CreateSymbolicLink(Path.Combine(served.Folder, "out"), outside.Path);
            File.CreateSymbolicLink(Path.Combine(served.Folder, "file"), outside["secret"]);
            File.CreateSymbolicLink(Path.Combine(served.Folder, "d/own"), Path.Combine(served.Folder, NameRules.HiddenFolder, "own"));
            Directory.CreateSymbolicLink(Path.Combine(served.Folder, "in"), "d");
        }

        string[] folders = ["", "d/"];
        string[] names =
        [
            "a", "b", "d/b", "e/c", "A", "D/B", "../a", "d/../a", "e/../../a", "./a", "d/./b", "a/", "d", "e/", "/a", "//a", "d//b", "", ".", "..", "/", "\\", "..\\a", "d\\b",
            "%61", "d%2Fb", "%2e%2e/a", "%252e%252e/a", "a\0", "a\0b", "a ", "a.", "a::$DATA", "a?", "a?b", "a#", "\uFEFFa", "a\u200D",
            ".hidden", "d/.hidden", "x.tmp/y", "X.TMP/y", "._d", "/etc/passwd", "../../../../etc/passwd", "file:///etc/passwd",
            ".millrace/own", ".millrace/tokens.json", ".MILLRACE/own", "MILLRA~1/own", ".millrace./own", "d/../.millrace/own", "own", "d/own",
            "out/secret", "in/b", "in/../a", "file", new('n', 255), new('n', 256), new('n', 1024),
        ];
        foreach (string folder in folders)
        {
            var got = await Batch.GetAsync(served.Client, $"files/{folder}?batch=get", names);
            for (int i = 0; i < names.Length; i++)
            {
                // Every byte encoded, so that nothing on the way changes the path.
                string path = folder + string.Concat(Encoding.UTF8.GetBytes(names[i]).Select(static one => one == '/' ? "/" : $"%{one:X2}"));
                RawResponse get = await RawConnection.ExchangeAsync(served.Server.Address, $"GET /files/{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                (BatchResultDocument line, byte[] content) = got[i];
                if (line.Status == 200)
                {
                    Assert.Equal((names[i], 200, Encoding.Latin1.GetString(content)), (names[i], get.Status, get.Body));
                    Assert.DoesNotContain("secret", get.Body, StringComparison.Ordinal);
                }
                else
                {
                    Assert.Equal(names[i], line.Name);
                    Assert.Empty(content);

                    // The others name folders, for which a GET has a page or another address.
                    Assert.True(line.Status == get.Status || names[i] is "" or ".." or "d" or "a/" or "e/", $"'{folder}' '{names[i]}': {line.Status}, {get.Status}");
                }
            }

            string[] given = [.. got.Where(static one => one.Line.Status == 200).Select(static one => one.Line.Name).Distinct()];
            string[] links = TestedStore.IsBucket ? [] : ["in/b"];
            Assert.Equal(folder.Length == 0 ? ["a", "d/b", .. links] : ["b", "e/c"], given);
        }
    }

    [Theory]
    [InlineData("x\n", 400)]
    [InlineData("\n", 400)]
    [InlineData("null\n", 400)]
    [InlineData("[]\n", 400)]
    [InlineData("{}\n", 400)]
    [InlineData("{\"name\":null}\n", 400)]
    [InlineData("{\"name\":1}\n", 400)]
    [InlineData("{\"name\":\"a\"}", 400)]
    [InlineData("{\"name\":\"a\"}{}\n", 400)]
    [InlineData("{\"name\":\"a\",\"ifMatch\":1}\n", 400)]
    [InlineData("{\"name\":\"a\"}\n{\"name\"", 400)]
    [InlineData("{\"name\":\"a\"}\n\0", 400)]
    [InlineData("{\"name\":\"\u00FF\"}\n", 400)]
    public async Task Malformed_request_is_refused_as_a_whole(string text, int status)
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        using HttpResponseMessage response = await Batch.PostAsync(
            Client, "files/?batch=get", [.. Encoding.UTF8.GetBytes(Batch.Name("a")), .. Encoding.Latin1.GetBytes(text)], BatchFileDocument.ResultsMediaType);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.False(string.IsNullOrEmpty((await ProblemOf(response)).Detail));
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Requests_have_limits()
    {
        await Server.WriteAsync("a", new byte[] { 1 });
        await Server.WriteAsync("large", new byte[BatchUpload.MaxFileBytes + 1]);
        string name = Batch.Name("a");
        var all = await Batch.GetAsync(Client, "files/?batch=get", [.. Enumerable.Repeat("a", BatchUpload.MaxFiles)]);
        Assert.All(all, static one => Assert.Equal([1], one.Content));
        await Batch.AskAsync(Client, "files/?batch=get", string.Concat(Enumerable.Repeat(name, BatchUpload.MaxFiles + 1))).AnswersAsync(HttpStatusCode.RequestEntityTooLarge);
        Assert.Empty(await Batch.GetAsync(Client, "files/none/?batch=get"));

        (BatchResultDocument large, byte[] nothing) = (await Batch.GetAsync(Client, "files/?batch=get", "large")).Single();
        Assert.Equal((413, "TooLarge", null), (large.Status, large.Error, large.Length));
        Assert.Empty(nothing);

        string padding = new('x', BatchFileDocument.MaxLineBytes - """{"name":"a","more":""}""".Length);
        string line = $$"""{"name":"a","more":"{{padding}}"}""";
        Assert.Single(await Batch.ReadFilesAsync(await Batch.AskAsync(Client, "files/?batch=get", line + "\n"), 1));
        await Batch.AskAsync(Client, "files/?batch=get", line + " \n").AnswersAsync(HttpStatusCode.BadRequest);
        await Batch.AskAsync(Client, "files/?batch=get", new('x', 1_000_000)).AnswersAsync(HttpStatusCode.BadRequest);
        await Batch.AskAsync(Client, "files/?batch=get", string.Concat(Enumerable.Repeat(line + "\n", 300))).AnswersAsync(HttpStatusCode.RequestEntityTooLarge);
    }

    [Fact]
    public async Task Conditions_are_those_of_a_get()
    {
        string tag = (await Batch.PutAsync(Client, "files/?batch", Batch.File("a", [1]))).Single().Tag!;
        string[] conditions = [tag, "*", $"\"x\", {tag}", "\"x\"", "x", "", $"W/{tag}"];
        var got = await Batch.ReadFilesAsync(
            await Batch.AskAsync(Client, "files/?batch=get", string.Concat(conditions.Select(static one => Batch.Name("a", one))) + Batch.Name("none", "*")), conditions.Length + 1);
        foreach ((string condition, BatchResultDocument line) in conditions.Zip(got.Select(static one => one.Line)))
        {
            using HttpResponseMessage get = await GetAsync("files/a", ("If-Match", condition));
            Assert.Equal((condition, (int)get.StatusCode), (condition, line.Status));
        }

        Assert.Equal([200, 200, 200, 412, 412, 412, 412, 404], got.Select(static one => one.Line.Status));
    }

    [Fact]
    public async Task Other_requests_are_not_taken_for_it()
    {
        await Server.WriteAsync("d/a", new byte[] { 1 });
        string name = Batch.Name("a");
        await SendAsync(HttpMethod.Post, "files/d/?batch=get", new StringContent(name), ("Content-Type", "text/plain")).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await Batch.PostAsync(Client, "files/d/?batch=get", Encoding.UTF8.GetBytes(name)).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await Batch.AskAsync(Client, "files/d/?batch=get", name, ("Content-Encoding", "gzip")).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await Batch.AskAsync(Client, "files/d/?batch", name).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        foreach (string query in (string[])["batch=put", "batch=GET", "batch=get&batch=get"])
        {
            await Batch.AskAsync(Client, $"files/d/?{query}", name).AnswersAsync(HttpStatusCode.BadRequest);
        }

        await Batch.AskAsync(Client, "files/d/a?batch=get", name).AnswersAsync(HttpStatusCode.MethodNotAllowed);
        using HttpResponseMessage get = await GetAsync("files/d/a?batch=get");
        Assert.Equal([1], await get.Content.ReadAsByteArrayAsync());
        Assert.Single(await Batch.GetAsync(Client, "files/d/?batch=get", "a"));
    }

    [Fact]
    public async Task Tokens_are_asked_as_by_a_get()
    {
        using var folder = new TemporaryFolder();
        var tokens = new TokenStore(folder["tokens"]);
        string part = (await tokens.AddAsync("part", TransferScope.Read, TransferName.Parse("in"))).Secret;
        string list = (await tokens.AddAsync("list", TransferScope.All & ~TransferScope.Read)).Secret;
        await using RunningServer server = await RunningServer.StartAsync(new RunningServerOptions
        {
            Services = services => services.AddMillraceTransfer(access => access.Tokens = tokens),
        });
        await server.WriteAsync("in/a", new byte[] { 1 });
        await server.WriteAsync("inn/a", new byte[] { 2 });
        if (!TestedStore.IsBucket)
        {
            Directory.CreateSymbolicLink(Path.Combine(server.Root, "in/link"), "../inn");
        }

        foreach ((string path, string? token, int status) in new[] { ("in/", null, 401), ("in/", list, 403), ("inn/", part, 403), ("", part, 403) })
        {
            await AskAsync(path, token).AnswersAsync((HttpStatusCode)status);
        }

        using HttpResponseMessage response = await AskAsync("in/", part);
        Assert.Equal(
            [200, 400, 400, TestedStore.IsBucket ? 404 : 403, 404], (await Batch.ReadFilesAsync(response, 5)).Select(static one => one.Line.Status));

        Task<HttpResponseMessage> AskAsync(string path, string? token) => Batch.AskAsync(
            server.Client, $"files/{path}?batch=get", string.Concat(((string[])["a", "../inn/a", "/inn/a", "link/a", "in/a"]).Select(static one => Batch.Name(one))),
            token is null ? [] : [("Authorization", "Bearer " + token)]);
    }

    [Fact]
    public async Task Server_describes_it_and_gives_it_without_a_token_to_readers_and_where_nothing_may_be_written()
    {
        await using ServedFolder served = await ServedFolder.StartAsync(static options => (options.ReadOnly, options.PublicScopes) = (!TestedStore.IsBucket, TransferScope.Read));
        await served.WriteAsync("a", new byte[] { 1 });
        Assert.Equal([1], (await Batch.GetAsync(served.Client, "files/?batch=get", "a")).Single().Content);
        using JsonDocument description = JsonDocument.Parse(await served.Client.GetStringAsync(ServerDescription.Path));
        Assert.True(description.RootElement.GetProperty("batchGet").GetBoolean());
    }

    [Fact]
    public async Task Batches_at_once_and_clients_that_go_away_leave_the_server_well()
    {
        byte[][] contents = [.. Enumerable.Range(0, 100).Select(static i => Content.Of(i * 700))];
        string[] names = [.. Enumerable.Range(0, 100).Select(static i => i.ToString(CultureInfo.InvariantCulture))];
        await Batch.PutAsync(Client, "files/?batch", [.. names.Select((name, i) => Batch.File(name, contents[i]))]);
        string body = string.Concat(names.Select(static name => Batch.Name(name)));
        await Task.WhenAll(Enumerable.Range(0, 8).Select(async i =>
        {
            for (int round = 0; round < 5; round++)
            {
                if (i % 2 == 0)
                {
                    Assert.Equal(contents, (await Batch.GetAsync(Client, "files/?batch=get", names)).Select(static one => one.Content));
                    continue;
                }

                using RawConnection connection = await RawConnection.OpenAsync(
                    Server.Address, $"POST /files/?batch=get HTTP/1.1\r\nHost: x\r\nContent-Type: {BatchFileDocument.ResultsMediaType}\r\nContent-Length: {body.Length}\r\n\r\n{body}");
                await connection.SkipAsync(1000 * round);
                connection.Reset();
            }
        }));
        Assert.Equal(contents, (await Batch.GetAsync(Client, "files/?batch=get", names)).Select(static one => one.Content));
        Assert.Empty(Server.Complaints);
    }
}

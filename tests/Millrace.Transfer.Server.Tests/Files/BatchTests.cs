using System.Globalization;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>POST FOLDER/?batch.</summary>
public sealed class BatchTests : ServerTest
{
    [Fact]
    public async Task Files_of_a_batch_are_stored_with_digest_date_and_tag()
    {
        byte[] large = Content.Of(1024 * 1024);
        BatchResultDocument[] results = await Batch.PutAsync(
            Client, "files/in%20it/?batch", Batch.File("a", Content.Of(10), ""","modified":"1500000000.123456789" """), Batch.File("deep/b ü", large, ""","unknown":{"x":[1]}"""), Batch.File("empty", []));
        Assert.Equal(["a", "deep/b ü", "empty"], results.Select(static one => one.Name));
        Assert.All(results, static one => Assert.Equal((201, null, null), (one.Status, one.Error, one.Detail)));
        Assert.Equal(Sha256Digest.Compute(large).ToBase64(), results[1].Sha256);
        Assert.Equal(large, await System.IO.File.ReadAllBytesAsync(Server.PathOf("in it/deep/b ü")));
        Assert.Empty(await System.IO.File.ReadAllBytesAsync(Server.PathOf("in it/empty")));
        using HttpResponseMessage get = await GetAsync("files/in%20it/a");
        Assert.Equal(results[0].Tag, get.Headers.ETag?.ToString());
        Assert.Equal("1500000000.123456789", get.Field("Millrace-Modified"));
        Assert.Empty(Server.Leftovers());
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Each_file_is_refused_for_itself()
    {
        await Server.WriteAsync("there", Content.Of(5));
        await Server.WriteAsync("folder/x", Content.Of(5));
        byte[] content = Content.Of(100);
        BatchResultDocument[] results = await Batch.PutAsync(
            Client, "files/?batch",
            Batch.File("there", content, ""","ifNoneMatch":"*" """),
            Batch.File("there", content, ""","ifMatch":"\"x\"" """),
            Batch.File("there", content, ""","ifMatch":"x" """),
            Batch.File("../out", content),
            Batch.File("", content),
            Batch.File("a//b", content),
            Batch.File(".millrace/x", content),
            Batch.File("folder", content),
            Batch.File("wrong", content, $",\"sha256\":\"{Sha256Digest.Compute("x"u8).ToBase64()}\""),
            Batch.File("no digest", content, ""","sha256":"x" """),
            Batch.File("no time", content, ""","modified":"yesterday" """),
            Batch.File("good", content),
            Batch.File("there", content, ""","ifMatch":"*" """));
        Assert.Equal([412, 412, 400, 400, 400, 400, 400, 409, 400, 400, 400, 201, 204], results.Select(static one => one.Status));
        Assert.Equal("AlreadyExists PreconditionFailed InvalidRequest InvalidName InvalidName InvalidName InvalidName InvalidName DigestMismatch InvalidRequest InvalidRequest  ".Split(' '), results.Select(static one => one.Error ?? ""));
        Assert.All(results, static one => Assert.Equal(one.Status < 300, one.Detail is null));
        Assert.Equal(["folder/x", "good", "there"], Server.VisibleFiles());
        Assert.Equal(content, await System.IO.File.ReadAllBytesAsync(Server.PathOf("there")));
        Assert.Empty(Server.Leftovers());
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Later_file_of_a_name_replaces_the_earlier_one()
    {
        (byte[], byte[])[] files = [.. Enumerable.Range(0, 20).Select(static i => Batch.File("same", Content.Of(100 + i)))];
        BatchResultDocument[] results = await Batch.PutAsync(Client, "files/?batch", [.. files, Batch.File("same", [1], ""","ifNoneMatch":"*" """)]);
        Assert.Equal([201, .. Enumerable.Repeat(204, 19), 412], results.Select(static one => one.Status));
        Assert.Equal(Content.Of(119), await System.IO.File.ReadAllBytesAsync(Server.PathOf("same")));
        Assert.Empty(Server.Leftovers());
    }

    [Theory]
    [InlineData("x\n", 400)]
    [InlineData("\n", 400)]
    [InlineData("null\n", 400)]
    [InlineData("[]\n", 400)]
    [InlineData("{}\n", 400)]
    [InlineData("{\"name\":\"b\"}\n", 400)]
    [InlineData("{\"length\":1}\nx", 400)]
    [InlineData("{\"name\":null,\"length\":1}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":-1}\n", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1.5}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":\"1\"}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":99999999999999999999}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1}x\n", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1}{}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1}", 400)]
    [InlineData("{\"name\":\"b\",\"length\":2}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":0}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1}\n", 400)]
    [InlineData("{\"name\":\"../b\",\"length\":2}\nx", 400)]
    [InlineData("{\"name\":\"b\",\"length\":1048577}\nx", 413)]
    [InlineData("{\"name\":\"../b\",\"length\":9223372036854775807}\nx", 413)]
    [InlineData("{\"name\":\"\u00FF\",\"length\":1}\nx", 400)]
    public async Task Malformed_batch_is_refused_as_a_whole(string text, int status)
    {
        (byte[] line, byte[] content) = Batch.File("a", Content.Of(10));
        using HttpResponseMessage response = await Batch.PostAsync(Client, "files/?batch", [.. line, .. content, .. Encoding.Latin1.GetBytes(text)]);
        Assert.Equal(status, (int)response.StatusCode);
        Assert.False(string.IsNullOrEmpty((await ProblemOf(response)).Detail));
        Assert.All(Server.VisibleFiles(), static name => Assert.True(name is "a" or "b"));
        Assert.Empty(Server.Leftovers());
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Long_line_and_too_many_files_are_refused()
    {
        await Batch.PostAsync(Client, "files/?batch", new byte[1_000_000]).AnswersAsync(HttpStatusCode.BadRequest);
        await Batch.PostAsync(Client, "files/?batch", Batch.Joined([.. Enumerable.Range(0, BatchUpload.MaxFiles + 1).Select(static i => Batch.File($"../{i}", []))]))
            .AnswersAsync(HttpStatusCode.RequestEntityTooLarge);
        string name = new('n', NameRules.MaxBytes);
        BatchResultDocument[] results = await Batch.PutAsync(Client, "files/?batch", Batch.File(name, []));
        Assert.Equal((400, "InvalidName"), (results.Single().Status, results.Single().Error));
        await Batch.PostAsync(Client, "files/?batch", Batch.Joined(Batch.File(name + "n", []))).AnswersAsync(HttpStatusCode.BadRequest);
        await Batch.PostAsync(Client, "files/?batch", Batch.Joined(Batch.File(new('n', BatchFileDocument.MaxLineBytes - 23), []))).AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Empty_batch_stores_nothing()
    {
        using HttpResponseMessage response = await Batch.PostAsync(Client, "files/none/?batch", []);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal("", await response.Content.ReadAsStringAsync());
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Other_types_and_codings_are_refused()
    {
        await SendAsync(HttpMethod.Post, "files/?batch", new ByteArrayContent([]), ("Content-Type", "text/plain")).AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await SendAsync(HttpMethod.Post, "files/?batch", new ByteArrayContent([]), ("Content-Type", BatchFileDocument.MediaType), ("Content-Encoding", "gzip"))
            .AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await Batch.PostAsync(Client, "files/a?batch", []).AnswersAsync(HttpStatusCode.MethodNotAllowed);
    }

    [Fact]
    public async Task Two_batches_at_once_leave_whole_files()
    {
        byte[][] contents = [Content.Of(4000), Content.Of(5000)];
        string[] names = [.. Enumerable.Range(0, 50).Select(static i => $"d{i % 3}/{i}")];
        BatchResultDocument[][] results = await Task.WhenAll(
            contents.Select(content => Batch.PutAsync(Client, "files/?batch", [.. names.Select(name => Batch.File(name, content))])));
        Assert.All(results.SelectMany(static one => one), static one => Assert.True(one.Status is 201 or 204));
        foreach (string name in names)
        {
            byte[] found = await System.IO.File.ReadAllBytesAsync(Server.PathOf(name));
            Assert.Contains(contents, content => content.AsSpan().SequenceEqual(found));
        }

        Assert.Equal(50, Server.VisibleFiles().Count);
        Assert.Empty(Server.Leftovers());
    }

    [Fact]
    public async Task One_of_two_batches_creates_a_name()
    {
        BatchResultDocument[][] results = await Task.WhenAll(Enumerable.Range(0, 2).Select(i =>
            Batch.PutAsync(Client, "files/?batch", [.. Enumerable.Range(0, 40).Select(n => Batch.File($"{n}", [(byte)i], ""","ifNoneMatch":"*" """))])));
        for (int n = 0; n < 40; n++)
        {
            Assert.Equal([201, 412], results.Select(one => one[n].Status).Order());
            int winner = results[0][n].Status == 201 ? 0 : 1;
            Assert.Equal([(byte)winner], await System.IO.File.ReadAllBytesAsync(Server.PathOf($"{n}")));
        }
    }

    [Fact]
    public async Task Batch_that_comes_byte_by_byte_is_stored()
    {
        byte[] body = Batch.Joined(Batch.File("a", Content.Of(30)), Batch.File("b/c", Content.Of(3)));
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Address, $"POST /files/?batch HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {BatchFileDocument.MediaType}\r\nContent-Length: {body.Length}\r\n\r\n");
        foreach (byte one in body)
        {
            Assert.True(await connection.SendAsync([one]));
        }

        Assert.Equal(200, RawResponse.Parse(await connection.ReadToEndAsync()).Status);
        Assert.Equal(["a", "b/c"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Client_that_goes_away_leaves_nothing_unfinished()
    {
        byte[] body = Batch.Joined(Batch.File("a", Content.Of(3000)), Batch.File("b", Content.Of(3000)));
        using (RawConnection connection = await RawConnection.OpenAsync(
            Server.Address, $"POST /files/?batch HTTP/1.1\r\nHost: x\r\nContent-Type: {BatchFileDocument.MediaType}\r\nContent-Length: {body.Length}\r\n\r\n"))
        {
            Assert.True(await connection.SendAsync(body[..^10]));

            // The first file is there, or it is being written.
            await Bounded.UntilAsync(() => Server.Leftovers().Count > 0 || Server.VisibleFiles().Contains("a"));
        }

        await Bounded.UntilAsync(() => Server.Leftovers().Count == 0);
        Assert.DoesNotContain("b", Server.VisibleFiles());
        Assert.Empty(Server.Complaints);
    }

    [Fact]
    public async Task Long_names_are_answered_in_full()
    {
        string name = new('<', NameRules.MaxBytes);
        BatchResultDocument[] results = await Batch.PutAsync(
            Client, "files/?batch", [.. Enumerable.Range(0, BatchUpload.MaxFiles).Select(i => Batch.File(name[..^4] + i.ToString("0000", CultureInfo.InvariantCulture), [1]))]);
        for (int i = 0; i < results.Length; i++)
        {
            Assert.Equal((name[..^4] + i.ToString("0000", CultureInfo.InvariantCulture), 400, "InvalidName"), (results[i].Name, results[i].Status, results[i].Error));
        }
    }

    [Fact]
    public async Task Batch_equals_the_same_puts()
    {
        for (int seed = 0; seed < 15; seed++)
        {
            var random = new Random(seed);
            string[] names = ["a", "b", "d/a", "d/b", "d/e/a", "a/x", "../x", "d", "é"];
            var batch = new List<(byte[], byte[])>();
            List<int> statuses = [];
            for (int i = 0; i < 25; i++)
            {
                string name = names[random.Next(names.Length)];
                byte[] content = Content.Of(random.Next(3) * 3000);
                string? condition = random.Next(4) switch { 0 => "\"*\"", 1 => "\"\\\"x\\\"\"", _ => null };
                string field = random.Next(2) == 0 ? "ifMatch" : "ifNoneMatch";
                batch.Add(Batch.File(name, content, condition is null ? "" : $",\"{field}\":{condition}"));
                List<(string, string)> fields = condition is null ? [] : [(field == "ifMatch" ? "If-Match" : "If-None-Match", condition.Length == 3 ? "*" : "\"x\"")];
                using HttpResponseMessage put = await SendAsync(
                    HttpMethod.Put, $"files/{seed}puts/{Uri.EscapeDataString(name)}".Replace("%2F", "/", StringComparison.Ordinal), new ByteArrayContent(content), [.. fields]);
                statuses.Add(name == "../x" ? 400 : (int)put.StatusCode);
            }

            BatchResultDocument[] results = await Batch.PutAsync(Client, $"files/{seed}batch/?batch", [.. batch]);
            Assert.Equal(statuses, results.Select(static one => one.Status));
            string[] stored = [.. Server.VisibleFiles().Where(name => name.StartsWith($"{seed}puts/", StringComparison.Ordinal)).Select(name => name[$"{seed}puts/".Length..])];
            Assert.Equal(stored, Server.VisibleFiles().Where(name => name.StartsWith($"{seed}batch/", StringComparison.Ordinal)).Select(name => name[$"{seed}batch/".Length..]));
            foreach (string name in stored)
            {
                Assert.Equal(await System.IO.File.ReadAllBytesAsync(Server.PathOf($"{seed}puts/{name}")), await System.IO.File.ReadAllBytesAsync(Server.PathOf($"{seed}batch/{name}")));
            }
        }

        Assert.Empty(Server.Leftovers());
    }
}

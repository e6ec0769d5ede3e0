namespace Millrace.Transfer.Server.Tests.Files;

public sealed class UploadTests : ServerTest
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(65_535)]
    [InlineData(65_536)]
    [InlineData(65_537)]
    [InlineData(3_000_000)]
    public async Task New_file_is_created_with_digest_and_location(int length)
    {
        byte[] content = Content.Of(length);
        using HttpResponseMessage response = await PutAsync("files/a%20b/c.bin", content);
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        Assert.Equal("/files/a%20b/c.bin", response.Headers.Location?.OriginalString);
        Assert.Equal(DigestField.Format(Sha256Digest.Compute(content)), response.Headers.GetValues("Repr-Digest").Single());
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a b/c.bin")));
        using HttpResponseMessage get = await GetAsync("files/a%20b/c.bin");
        Assert.Equal(get.Headers.ETag, response.Headers.ETag);
    }

    [Fact]
    public async Task Existing_file_is_replaced()
    {
        await Server.WriteAsync("a", Content.Of(10));
        using HttpResponseMessage response = await PutAsync("files/a", Content.Of(20));
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.NotNull(response.Headers.ETag);
        Assert.Equal(Content.Of(20), await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Body_of_unknown_length_is_stored_to_its_end()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, Server.Url("files/a"))
        {
            Content = new ByteArrayContent(Content.Of(100_000)),
        };
        request.Headers.TransferEncodingChunked = true;
        await Client.SendAsync(request).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(Content.Of(100_000), await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Body_over_Kestrels_default_limit_is_accepted()
    {
        await PutAsync("files/a", new byte[31_000_000]).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(31_000_000, new FileInfo(Server.PathOf("a")).Length);
    }

    [Theory]
    [InlineData("If-None-Match", "*", true, 412)]
    [InlineData("If-None-Match", "*", false, 201)]
    [InlineData("If-None-Match", "{tag}", true, 412)]
    [InlineData("If-None-Match", "\"x\"", true, 204)]
    [InlineData("If-None-Match", "\"x\"", false, 201)]
    [InlineData("If-None-Match", "x", true, 400)]
    [InlineData("If-Match", "{tag}", true, 204)]
    [InlineData("If-Match", "\"x\", {tag}", true, 204)]
    [InlineData("If-Match", "\"x\"", true, 412)]
    [InlineData("If-Match", "W/{tag}", true, 412)]
    [InlineData("If-Match", "*", true, 204)]
    [InlineData("If-Match", "*", false, 412)]
    [InlineData("If-Match", "\"x\"", false, 412)]
    [InlineData("If-Match", "x", true, 400)]
    [InlineData("If-Unmodified-Since", "Sun, 02 Feb 2020 02:02:02 GMT", true, 204)]
    [InlineData("If-Unmodified-Since", "Sun, 02 Feb 2020 02:02:01 GMT", true, 412)]
    [InlineData("If-Unmodified-Since", "x", true, 204)]
    [NeedsLocalFolder]
    public async Task Conditions_decide_whether_a_file_is_replaced(
        string field, string value, bool isThere, int status)
    {
        string tag = "";
        if (isThere)
        {
            string path = await Server.WriteAsync("a", Content.Of(10));
            File.SetLastWriteTimeUtc(path, new DateTime(2020, 2, 2, 2, 2, 2, DateTimeKind.Utc));
            using HttpResponseMessage get = await GetAsync("files/a");
            tag = get.Headers.ETag!.ToString();
        }

        using HttpResponseMessage response = await PutAsync("files/a", Content.Of(20), (field, value.Replace("{tag}", tag)));
        Assert.Equal(status, (int)response.StatusCode);
        bool replaced = status < 300;
        Assert.Equal(replaced || isThere ? ["a"] : [], Server.VisibleFiles());
        if (replaced || isThere)
        {
            Assert.Equal(replaced ? 20 : 10, new FileInfo(Server.PathOf("a")).Length);
        }
    }

    [Fact]
    public async Task A_file_that_appears_during_a_conditional_upload_is_not_replaced()
    {
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address);
        await connection.SendAsync(
            "PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: *\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
        Assert.StartsWith("HTTP/1.1 100 ", await connection.ReadUntilAsync("\r\n\r\n"), StringComparison.Ordinal);
        using HttpResponseMessage other = await PutAsync("files/a", Content.Of(10));
        await connection.SendAsync("late");
        RawResponse response = RawResponse.Parse(await connection.ReadToEndAsync());
        Assert.Equal(412, response.Status);
        Assert.Equal(Content.Of(10), await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task A_client_that_waits_for_100_is_refused_before_it_sends_anything()
    {
        await Server.WriteAsync("a", Content.Of(10));
        RawResponse response = await RawConnection.ExchangeAsync(
            Server.Address,
            "PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nIf-None-Match: *\r\nExpect: 100-continue\r\nContent-Length: 1000000000\r\n\r\n");
        Assert.Equal(412, response.Status);
    }

    [Theory]
    [InlineData("Content-Length: 10\r\n\r\nabc")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n")]
    [InlineData("Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz")]
    public async Task A_body_that_ends_early_publishes_nothing(string rest)
    {
        using (RawConnection connection = await RawConnection.OpenAsync(Server.Address))
        {
            await connection.SendAsync($"PUT /files/a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n{rest}");
            await connection.ReadUntilAsync("\r\n\r\n");
            connection.Reset();
        }

        // Answered after the other one is over: a store that lets go late would have the name taken.
        await PutAsync("files/b", [1]).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(["b"], Server.VisibleFiles());
        Assert.Empty(Server.Complaints);
    }

    [Theory]
    [InlineData("files/")]
    [InlineData("files/new/")]
    [InlineData("files/folder/")]
    [InlineData("files/folder")]
    public async Task A_folder_cannot_be_put(string path)
    {
        await Server.WriteAsync("folder/x", Content.Of(1));
        await PutAsync(path, Content.Of(20)).AnswersAsync(HttpStatusCode.Conflict);
        Assert.Equal(["folder/x"], Server.VisibleFiles());
    }

    [Fact]
    public async Task A_file_cannot_become_a_folder()
    {
        await Server.WriteAsync("a", Content.Of(1));
        await PutAsync("files/a/b", Content.Of(20)).AnswersAsync(HttpStatusCode.Conflict);
        Assert.Equal(["a"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Content_Range_in_PUT_is_refused()
    {
        await PutAsync("files/a", Content.Of(20), ("Content-Range", "bytes 0-19/100"))
            .AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    private Task<HttpResponseMessage> PutAsync(string path, byte[] content, params (string, string)[] fields) =>
        SendAsync(HttpMethod.Put, path, new ByteArrayContent(content), fields);
}

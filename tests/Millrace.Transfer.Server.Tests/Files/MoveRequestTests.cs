namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>MOVE, MKCOL, and DELETE of a folder with everything in it.</summary>
[NeedsLocalFolder]
public sealed class MoveRequestTests : ServerTest
{
    [Fact]
    public async Task File_is_moved_to_a_path_of_the_server()
    {
        await Server.WriteAsync("a/old name", Content.Of(10));
        using HttpResponseMessage moved = await MoveAsync("files/a/old%20name", "/files/a/new%20name");
        Assert.Equal((HttpStatusCode.Created, "/files/a/new%20name"), (moved.StatusCode, moved.Headers.Location?.OriginalString));
        Assert.Equal(["a/new name"], Server.VisibleFiles());
        using HttpResponseMessage get = await GetAsync("files/a/new%20name");
        Assert.Equal(moved.Headers.ETag, get.Headers.ETag);
    }

    [Fact]
    public async Task Folder_is_moved_with_its_files()
    {
        await Server.WriteAsync("a/b/c", Content.Of(10));
        using HttpResponseMessage moved = await MoveAsync("files/a/", "/files/z/");
        Assert.Equal((HttpStatusCode.Created, null), (moved.StatusCode, moved.Headers.ETag));
        await MoveAsync("files/z/b", $"{Server.Url("files/q")}").AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(["q/c"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Folder_is_not_moved_to_where_a_name_in_it_gets_too_long()
    {
        string deep = string.Join('/', Enumerable.Repeat(new string('d', 249), 4));
        await Server.WriteAsync($"a/{deep}/file", Content.Of(10));
        await Server.WriteAsync("b/some/other/long/names", Content.Of(10));
        using HttpResponseMessage refused = await MoveAsync("files/b", $"/files/a/{deep}/b");
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        Assert.Contains("Choose a shorter name", await refused.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        Assert.Equal(2, Server.VisibleFiles().Count);
    }

    [Theory]
    [InlineData(null, 204, "a")]
    [InlineData("T", 204, "a")]
    [InlineData("F", 412, "b")]
    [InlineData("x", 400, "b")]
    public async Task Overwrite_decides_whether_a_file_is_replaced(string? overwrite, int status, string left)
    {
        await Server.WriteAsync("a", "a"u8.ToArray());
        await Server.WriteAsync("b", "b"u8.ToArray());
        using HttpResponseMessage moved = overwrite is null
            ? await MoveAsync("files/a", "/files/b")
            : await MoveAsync("files/a", "/files/b", ("Overwrite", overwrite));
        Assert.Equal(status, (int)moved.StatusCode);
        Assert.Equal(left, await Client.GetStringAsync(Server.Url("files/b")));
    }

    [Theory]
    [InlineData("If-Match", "{tag}", 201)]
    [InlineData("If-Match", "\"x\"", 412)]
    [InlineData("If-Match", "x", 400)]
    [InlineData("If-None-Match", "*", 412)]
    [InlineData("If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 412)]
    public async Task Conditions_decide_whether_a_file_is_moved(string field, string value, int status)
    {
        await Server.WriteAsync("a", Content.Of(10));
        using HttpResponseMessage get = await GetAsync("files/a");
        using HttpResponseMessage moved = await MoveAsync("files/a", "/files/b", (field, value.Replace("{tag}", get.Headers.ETag!.ToString())));
        Assert.Equal(status, (int)moved.StatusCode);
        Assert.Equal(status == 201 ? ["b"] : ["a"], Server.VisibleFiles());
    }

    [Theory]
    [InlineData("files/none", "/files/b", 404)]
    [InlineData("files/a/", "/files/b", 404)]
    [InlineData("files/a", "/files/none/b", 409)]
    [InlineData("files/a", "/files/", 409)]
    [InlineData("files/a", "/files/b/", 409)]
    [InlineData("files/a", "/files/folder", 409)]
    [InlineData("files/", "/files/b/", 409)]
    [InlineData("files/folder/", "/files/a", 409)]
    [InlineData("files/folder/", "/files/folder/sub/", 409)]
    [InlineData("files/a", "/files/a", 409)]
    [InlineData("files/a", "", 400)]
    [InlineData("files/a", "b", 400)]
    [InlineData("files/a", "/files/b?x", 400)]
    [InlineData("files/a", "/files/b#x", 400)]
    [InlineData("files/a", "/uploads/b", 400)]
    [InlineData("files/a", "/files/../b", 400)]
    [InlineData("files/a", "/files/%2e%2e/b", 400)]
    [InlineData("files/a", "/files/folder%2Fb", 400)]
    [InlineData("files/a", "/files/folder%5C..%5Cb", 400)]
    [InlineData("files/a", "/files/.millrace/b", 400)]
    [InlineData("files/a", "/files/folder/.millrace/b", 400)]
    [InlineData("files/.millrace/", "/files/b/", 400)]
    [InlineData("files/a", "/files/b%00", 400)]
    [InlineData("files/a", "http://example.org/files/b", 400)]
    [InlineData("files/a", "http://localhost:1/files/b", 400)]
    [InlineData("files/a", "//example.org/files/b", 400)]
    [InlineData("files/a", "ftp://{host}/files/b", 400)]
    [InlineData("files/a", "file:///files/b", 400)]
    [InlineData("files/a", "http://{host}@example.org/files/b", 400)]
    [InlineData("files/a", "http://{host}/other/files/b", 400)]
    public async Task What_cannot_be_moved_is_refused(string from, string to, int status)
    {
        await Server.WriteAsync("a", Content.Of(10));
        await Server.WriteAsync("folder/file", Content.Of(10));
        RawResponse moved = await RawConnection.ExchangeAsync(
            Server.Url(""),
            $"MOVE /{from} HTTP/1.1\r\nHost: {Server.Url("").Authority}\r\nConnection: close\r\nDestination: {to.Replace("{host}", Server.Url("").Authority)}\r\n\r\n");
        Assert.Equal(status, moved.Status);
        Assert.Equal(["a", "folder/file"], Server.VisibleFiles());
    }

    [Theory]
    [InlineData("/files/größe", "größe", "/files/gr%C3%B6%C3%9Fe")]
    [InlineData("/files/%E4%B8%96界", "世界", "/files/%E4%B8%96%E7%95%8C")]
    [InlineData("/files/🎉 1", "🎉 1", "/files/%F0%9F%8E%89%201")]
    [InlineData("http://{host}/files/é", "é", "/files/%C3%A9")]
    public async Task Destination_that_is_not_escaped_is_moved_to_and_answered_escaped(string to, string name, string location)
    {
        await Server.WriteAsync("a", Content.Of(10));
        foreach (string status in (string[])["201", "204"])
        {
            string request = $"MOVE /files/a HTTP/1.1\r\nHost: {Server.Url("").Authority}\r\nConnection: close\r\nDestination: {to.Replace("{host}", Server.Url("").Authority)}\r\n\r\n";
            RawResponse moved = await RawConnection.ExchangeAsync(
                Server.Url(""), Encoding.Latin1.GetString(Encoding.UTF8.GetBytes(request)));
            Assert.Equal(status, $"{moved.Status}");
            Assert.Equal(status == "201", moved.Head.Contains($"Location: {location}\r\n", StringComparison.Ordinal));
            Assert.Equal([name], Server.VisibleFiles());
            await Server.WriteAsync("a", Content.Of(10));
        }
    }

    [Fact]
    public async Task Repeated_or_missing_destination_is_refused()
    {
        await Server.WriteAsync("a", Content.Of(10));
        await SendAsync(new HttpMethod("MOVE"), "files/a").AnswersAsync(HttpStatusCode.BadRequest);
        await SendAsync(new HttpMethod("MOVE"), "files/a", null, ("Destination", "/files/b"), ("Destination", "/files/c"))
            .AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Equal(["a"], Server.VisibleFiles());
    }

    [Theory]
    [InlineData("files/new/", 201)]
    [InlineData("files/new", 201)]
    [InlineData("files/a/", 405)]
    [InlineData("files/a/b", 405)]
    [InlineData("files/", 405)]
    [InlineData("files/none/new/", 409)]
    [InlineData("files/.millrace/new/", 400)]
    public async Task Folder_is_created_in_a_folder(string path, int status)
    {
        await Server.WriteAsync("a/b", Content.Of(10));
        using HttpResponseMessage made = await SendAsync(new HttpMethod("MKCOL"), path);
        Assert.Equal(status, (int)made.StatusCode);
        Assert.Equal(status == 201, Directory.Exists(Server.PathOf("new")));
        Assert.Equal(status == 201 ? $"/{path}" : null, made.Headers.Location?.OriginalString);
    }

    [Fact]
    public async Task Body_of_a_new_folder_is_refused()
    {
        using HttpResponseMessage made = await SendAsync(new HttpMethod("MKCOL"), "files/new/", new ByteArrayContent([1]));
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, made.StatusCode);
        Assert.False(Directory.Exists(Server.PathOf("new")));
    }

    [Fact]
    public async Task Folder_is_deleted_with_everything_in_it_only_if_that_is_asked_for()
    {
        await Server.WriteAsync("a/b/c", Content.Of(10));
        await Server.WriteAsync("file", Content.Of(10));
        await DeleteAsync("files/a/", ("Depth", "0")).AnswersAsync(HttpStatusCode.Conflict);
        await DeleteAsync("files/a", ("Depth", "infinity")).AnswersAsync(HttpStatusCode.Conflict);
        await DeleteAsync("files/", ("Depth", "infinity")).AnswersAsync(HttpStatusCode.Conflict);
        await DeleteAsync("files/file/", ("Depth", "infinity")).AnswersAsync(HttpStatusCode.NotFound);
        await DeleteAsync("files/a/", ("Depth", "infinity"), ("If-Match", "*")).AnswersAsync(HttpStatusCode.PreconditionFailed);
        Assert.Equal(["a/b/c", "file"], Server.VisibleFiles());
        await DeleteAsync("files/a/", ("Depth", "infinity")).AnswersAsync(HttpStatusCode.NoContent);
        await DeleteAsync("files/a/", ("Depth", "infinity")).AnswersAsync(HttpStatusCode.NotFound);
        Assert.Equal(["file"], Server.VisibleFiles());
    }

    private Task<HttpResponseMessage> MoveAsync(string from, string to, params (string, string)[] fields) =>
        SendAsync(new HttpMethod("MOVE"), from, null, [("Destination", to), .. fields]);

    private Task<HttpResponseMessage> DeleteAsync(string path, params (string, string)[] fields) =>
        SendAsync(HttpMethod.Delete, path, null, fields);
}

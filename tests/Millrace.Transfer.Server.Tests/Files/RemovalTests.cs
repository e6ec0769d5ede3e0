namespace Millrace.Transfer.Server.Tests.Files;

public sealed class RemovalTests : ServerTest
{
    [Fact]
    public async Task File_is_deleted_once()
    {
        await Server.WriteAsync("a/b", Content.Of(10));
        await DeleteAsync("files/a/b").AnswersAsync(HttpStatusCode.NoContent);
        Assert.Empty(Server.VisibleFiles());
        await DeleteAsync("files/a/b").AnswersAsync(HttpStatusCode.NotFound);
    }

    [Theory]
    [InlineData("If-Match", "{tag}", 204)]
    [InlineData("If-Match", "\"x\"", 412)]
    [InlineData("If-Match", "x", 400)]
    [InlineData("If-None-Match", "*", 412)]
    [InlineData("If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 412)]
    public async Task Conditions_decide_whether_a_file_is_deleted(string field, string value, int status)
    {
        await Server.WriteAsync("a", Content.Of(10));
        using HttpResponseMessage get = await GetAsync("files/a");
        using HttpResponseMessage response =
            await DeleteAsync("files/a", (field, value.Replace("{tag}", get.Headers.ETag!.ToString())));
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(status == 204 ? [] : ["a"], Server.VisibleFiles());
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task An_empty_folder_is_deleted()
    {
        Directory.CreateDirectory(Server.PathOf("empty"));
        await DeleteAsync("files/empty/").AnswersAsync(HttpStatusCode.NoContent);
        Assert.False(Directory.Exists(Server.PathOf("empty")));
    }

    [Fact]
    public async Task A_folder_with_files_is_deleted_only_by_its_path_with_a_slash()
    {
        await Server.WriteAsync("a/b", Content.Of(10));
        await DeleteAsync("files/a").AnswersAsync(HttpStatusCode.Conflict);
        await DeleteAsync("files/a/", ("Depth", "0")).AnswersAsync(HttpStatusCode.Conflict);
        Assert.Equal(["a/b"], Server.VisibleFiles());
        await DeleteAsync("files/a/").AnswersAsync(HttpStatusCode.NoContent);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task The_root_is_not_deleted()
    {
        await DeleteAsync("files/").AnswersAsync(HttpStatusCode.Conflict);
        Assert.True(Directory.Exists(Server.Root));
    }

    [Fact]
    public async Task File_path_with_a_trailing_slash_is_not_deleted()
    {
        await Server.WriteAsync("a", Content.Of(10));
        await DeleteAsync("files/a/").AnswersAsync(HttpStatusCode.NotFound);
        Assert.Equal(["a"], Server.VisibleFiles());
    }

    private Task<HttpResponseMessage> DeleteAsync(string path, params (string, string)[] fields) =>
        SendAsync(HttpMethod.Delete, path, null, fields);
}

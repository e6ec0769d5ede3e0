using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>The requests for deleted files.</summary>
public sealed class TrashRequestTests : ServerTest
{
    protected override RunningServerOptions Options => new()
    {
        Store = new LocalFileStoreOptions { TrashLifetime = TimeSpan.FromHours(1) },
        Map = static (application, store, options) =>
        {
            application.MapMillraceFiles(options.FilesPath, store, options);
            application.MapMillraceUploads(options.UploadsPath, store, options);
            application.MapMillracePage(store, options);
        },
    };

    [Fact]
    public async Task Deleted_file_is_listed_and_restored()
    {
        await Server.WriteAsync("folder/a", "one"u8.ToArray());
        await SendAsync(HttpMethod.Delete, "files/folder/a").AnswersAsync(HttpStatusCode.NoContent);
        TrashEntryDocument entry = Assert.Single((await ListAsync()).Entries);
        Assert.Equal(("folder/a", 3L, false, false), (entry.Name, entry.Length, entry.IsFolder, entry.IsReplaced));
        Assert.Empty((await ListAsync("?name=other")).Entries);
        Assert.Single((await ListAsync("?name=folder/")).Entries);
        using HttpResponseMessage restored = await RestoreAsync(entry.Id, "{}");
        Assert.Equal(HttpStatusCode.OK, restored.StatusCode);
        Assert.Equal("{\"name\":\"folder/a\"}", await restored.Content.ReadAsStringAsync());
        Assert.Equal("one", await Client.GetStringAsync(Server.Url("files/folder/a")));
        await RestoreAsync(entry.Id, "{}").AnswersAsync(HttpStatusCode.NotFound);
    }

    [Fact]
    public async Task Restoring_never_replaces()
    {
        await PutAsync("one");
        await PutAsync("two");
        TrashEntryDocument entry = Assert.Single((await ListAsync()).Entries);
        Assert.True(entry.IsReplaced);
        await RestoreAsync(entry.Id, "{}").AnswersAsync(HttpStatusCode.PreconditionFailed);
        await RestoreAsync(entry.Id, "{\"name\":\"../x\"}").AnswersAsync(HttpStatusCode.BadRequest);
        await RestoreAsync(entry.Id, "{\"name\":\"old/a\"}").AnswersAsync(HttpStatusCode.OK);
        Assert.Equal("two", await Client.GetStringAsync(Server.Url("files/a")));
        Assert.Equal("one", await Client.GetStringAsync(Server.Url("files/old/a")));
    }

    [Fact]
    public async Task Entries_are_deleted_one_by_one_and_all_at_once()
    {
        foreach (string name in (string[])["a", "b/c", "d"])
        {
            await Server.WriteAsync(name, "one"u8.ToArray());
            await SendAsync(HttpMethod.Delete, $"files/{name}").AnswersAsync(HttpStatusCode.NoContent);
        }

        string id = (await ListAsync("?name=a")).Entries[0].Id;
        await SendAsync(HttpMethod.Delete, $"trash/{id}").AnswersAsync(HttpStatusCode.NoContent);
        await SendAsync(HttpMethod.Delete, $"trash/{id}").AnswersAsync(HttpStatusCode.NotFound);
        await SendAsync(HttpMethod.Delete, "trash/..%2f..%2fa").AnswersAsync(HttpStatusCode.NotFound);
        Assert.Equal("{\"deleted\":0}", await EmptyAsync("?older=3600"));
        Assert.Equal("{\"deleted\":1}", await EmptyAsync("?name=b"));
        Assert.Equal("{\"deleted\":1}", await EmptyAsync(""));
        Assert.Empty((await ListAsync()).Entries);
    }

    [Theory]
    [InlineData("GET", "trash?limit=0", 400)]
    [InlineData("GET", "trash?limit=1001", 400)]
    [InlineData("GET", "trash?name=..", 400)]
    [InlineData("DELETE", "trash?older=-1", 400)]
    [InlineData("DELETE", "trash?older=99999999999999999", 400)]
    [InlineData("PUT", "trash", 405)]
    [InlineData("GET", "trash/0123", 405)]
    public async Task Wrong_requests_are_refused(string method, string path, int status) =>
        await SendAsync(new HttpMethod(method), path).AnswersAsync((HttpStatusCode)status);

    private async Task PutAsync(string content) =>
        (await SendAsync(HttpMethod.Put, "files/a", new StringContent(content))).EnsureSuccessStatusCode().Dispose();

    private async Task<TrashDocument> ListAsync(string query = "") =>
        (await Client.GetFromJsonAsync(Server.Url("trash" + query), TransferJson.Default.TrashDocument))!;

    private Task<HttpResponseMessage> RestoreAsync(string id, string body) =>
        SendAsync(HttpMethod.Post, $"trash/{id}", new StringContent(body, Encoding.UTF8, "application/json"));

    private async Task<string> EmptyAsync(string query)
    {
        using HttpResponseMessage response = await SendAsync(HttpMethod.Delete, "trash" + query);
        return await response.Content.ReadAsStringAsync();
    }
}

using System.Net.Http.Json;

namespace Millrace.Transfer.Server.Tests.Files;

/// <summary>Requests that delete or move a folder with files that the server hides.</summary>
public sealed class HiddenFilesTests : ServerTest
{
    protected override RunningServerOptions Options => new()
    {
        Map = static (application, store, options) => application.MapMillraceFiles(options.FilesPath, store.Hiding([".*"]), options),
    };

    [Theory]
    [InlineData("?hidden")]
    [InlineData("?hidden=true")]
    public async Task Folder_is_deleted_with_hidden_files_on_request(string query)
    {
        await Server.WriteAsync("f/a", Content.Of(10));
        await Server.WriteAsync("f/.b", Content.Of(10));
        await Server.WriteAsync("f/sub/.c/d", Content.Of(10));
        await AssertKeptAsync(await SendAsync(HttpMethod.Delete, "files/f/"));
        await AssertKeptAsync(await SendAsync(HttpMethod.Delete, "files/f/", null, ("Hidden", "true")));
        foreach (string wrong in (string[])["?hidden=false", "?hidden=0", "?hidden=true&hidden=false"])
        {
            await SendAsync(HttpMethod.Delete, "files/f/" + wrong).AnswersAsync(HttpStatusCode.BadRequest);
        }

        // Without the slash it is no deletion with everything in it.
        await SendAsync(HttpMethod.Delete, "files/f" + query).AnswersAsync(HttpStatusCode.Conflict);
        await SendAsync(HttpMethod.Delete, "files/f/.b" + query).AnswersAsync(HttpStatusCode.NotFound);
        Assert.Equal(3, Server.VisibleFiles().Count);
        await SendAsync(HttpMethod.Delete, "files/f/" + query).AnswersAsync(HttpStatusCode.NoContent);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Folder_is_moved_with_hidden_files_on_request()
    {
        await Server.WriteAsync("f/a", Content.Of(10));
        await Server.WriteAsync("f/.b", Content.Of(10));
        await Server.WriteAsync("f/.c/d", Content.Of(10));
        await Server.WriteAsync("other/.e", Content.Of(10));
        await AssertKeptAsync(await MoveAsync("files/f/", "/files/g/"));
        await MoveAsync("files/f/?hidden=no", "/files/g/").AnswersAsync(HttpStatusCode.BadRequest);

        // What is replaced is not what was asked for.
        await MoveAsync("files/f/?hidden", "/files/other/", "T").AnswersAsync(HttpStatusCode.Conflict);
        Assert.Equal(["f/.b", "f/.c/d", "f/a", "other/.e"], Server.VisibleFiles());
        await MoveAsync("files/f/?hidden", "/files/g/").AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(["g/.b", "g/.c/d", "g/a", "other/.e"], Server.VisibleFiles());
        await MoveAsync("files/g/?hidden", "/files/.g/").AnswersAsync(HttpStatusCode.Forbidden);
    }

    private Task<HttpResponseMessage> MoveAsync(string path, string to, string overwrite = "F") =>
        SendAsync(new HttpMethod("MOVE"), path, null, ("Destination", to), ("Overwrite", overwrite));

    private static async Task AssertKeptAsync(HttpResponseMessage response)
    {
        using (response)
        {
            Assert.Equal(HttpStatusCode.Conflict, response.StatusCode);
            ErrorDocument? problem = await response.Content.ReadFromJsonAsync(TransferJson.Default.ErrorDocument);
            Assert.Equal((2, 2, "f"), (problem!.Hidden, problem.Omitted, problem.Name));
        }
    }
}

using System.Net;
using System.Runtime.Versioning;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>Folders that are served read-only, which the server may not be able to write.</summary>
public sealed class ReadOnlyTests : CommandTests
{
    private const UnixFileMode NotWritable = (UnixFileMode)0x16D; // 0555
    private const UnixFileMode Usual = (UnixFileMode)0x1ED; // 0755

    private static async Task<HttpStatusCode> StatusAsync(HttpMethod method, string url)
    {
        using var client = new HttpClient();
        using var request = new HttpRequestMessage(method, new Uri(url)) { Content = new StringContent("x") };
        using HttpResponseMessage response = await client.SendAsync(request);
        return response.StatusCode;
    }

    /// <summary>Reads everything by each protocol, and changes nothing by any.</summary>
    private async Task OnlyReadsAsync(ServedCommand server)
    {
        Assert.True(server.Ready.GetProperty("readOnly").GetBoolean());
        Write("new", 10);
        foreach (string via in new[] { "http1", "http2", "tus", "grpc", "grpc-web" })
        {
            string error = (await RunAsync("put", "new", server.Files + "new", "--via", via)).Error;
            Assert.Contains("This server is read-only", error, StringComparison.Ordinal);
        }

        foreach (string via in new[] { "http1", "grpc" })
        {
            await SucceedAsync("get", server.Files + "a/b", "got-" + via, "--via", via);
            Assert.Equal(File.ReadAllBytes(Folder["served/a/b"]), File.ReadAllBytes(Folder["got-" + via]));
            File.Delete(Folder["got-" + via]);
        }

        foreach (string method in new[] { "PUT", "DELETE", "MOVE", "MKCOL", "COPY", "PROPPATCH", "LOCK" })
        {
            HttpStatusCode status = await StatusAsync(new HttpMethod(method), server.Files + (method == "MKCOL" ? "folder/" : "a/b"));
            Assert.True(status is HttpStatusCode.Forbidden or HttpStatusCode.BadRequest or HttpStatusCode.MethodNotAllowed, $"{method}: {status}");
        }

        Assert.Equal("a/", (await SucceedAsync("ls", server.Files)).Trim().Split(' ')[^1]);
        Assert.Equal([Folder["served/a"]], Directory.GetFileSystemEntries(Folder["served"]));
        JsonElement session = JsonDocument.Parse(await server.Client.GetStringAsync("session")).RootElement;
        Assert.Equal(["read", "list"], session.GetProperty("scopes").EnumerateArray().Select(static scope => scope.GetString()));
        Assert.Equal("ok", JsonDocument.Parse(await server.Client.GetStringAsync("health")).RootElement.GetProperty("status").GetString());
    }

    [Fact]
    public async Task Writable_folder_stays_as_it_is()
    {
        Write("served/a/b", 100_000);
        using ServedCommand server = await ServeAsync("served", "--read-only");
        await OnlyReadsAsync(server);

        // Nothing changes, so that there is nothing to report, and no outbox.
        await using (HookReceiver receiver = await HookReceiver.StartAsync())
        {
            using ServedCommand silent = await ServeAsync("served", "--read-only", "--hook", receiver.Url.AbsoluteUri);
            await OnlyReadsAsync(silent);
            Assert.Equal(0, receiver.Requests);
        }

        // Any number of them, and one that writes.
        using ServedCommand second = await ServeAsync("served", "--read-only");
        await OnlyReadsAsync(second);
        using ServedCommand writing = await ServeAsync("served");
        Assert.Equal(HttpStatusCode.Created, await StatusAsync(HttpMethod.Put, writing.Files + "c"));
    }

    [NeedsFact(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public async Task Folder_without_the_right_to_write_is_served()
    {
        IsBoundByRights = true;
        Write("served/a/b", 100_000);
        File.SetUnixFileMode(Folder["served"], NotWritable);
        try
        {
            string error = await FailAsync("serve", "served", "--port", "0");
            Assert.Contains("Its user has to be able to write to it.", error, StringComparison.Ordinal);
            Assert.Contains("use --read-only", error, StringComparison.Ordinal);
            using ServedCommand server = await ServeAsync("served", "--read-only");
            await OnlyReadsAsync(server);
            using ServedCommand kept = await ServeAsync("served", "--read-only", "--state", "state");
            await OnlyReadsAsync(kept);
        }
        finally
        {
            File.SetUnixFileMode(Folder["served"], Usual);
        }
    }

    [NeedsFact(Need.Linux | Need.Mount)]
    public async Task Read_only_mount_is_served()
    {
        Write("served/a/b", 100_000);
        Shell.Run("mount", "--bind", Folder["served"], Folder["served"]);
        try
        {
            Shell.Run("mount", "-o", "remount,bind,ro", Folder["served"]);
            Assert.Contains("use --read-only", await FailAsync("serve", "served", "--port", "0"), StringComparison.Ordinal);
            using ServedCommand server = await ServeAsync("served", "--read-only", "--state", "state");
            await OnlyReadsAsync(server);
            await server.KillAsync();
        }
        finally
        {
            Shell.Run("umount", "--lazy", Folder["served"]);
        }
    }

    [Fact]
    public async Task State_has_the_tokens_links_and_address()
    {
        Write("served/a/b", 10);
        string token = (await RunJsonAsync("token", "add", "reader", "--scope", "read,list,link", "--state", "state")).GetProperty("token").GetString()!;
        using ServedCommand server = await ServeAsync("served", "--read-only", "--state", "state");
        Assert.True(server.Ready.GetProperty("needsToken").GetBoolean());
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(HttpMethod.Get, server.Files + "a/b"));
        string link = (await SucceedAsync("link", "a/", "--state", "state", "--url", server.Client.BaseAddress!.ToString())).Trim();
        Assert.Equal(File.ReadAllBytes(Folder["served/a/b"]), await server.Client.GetByteArrayAsync(link.Replace("a/?", "a/b?", StringComparison.Ordinal)));
        Assert.Contains("a/", await SucceedAsync("link", "--list", "--state", "state"), StringComparison.Ordinal);
        Assert.Contains("reader", await SucceedAsync("token", "list", "--state", "state"), StringComparison.Ordinal);
        await SucceedAsync("health", "--state", "state", "--timeout", "5m");

        using var asked = new HttpRequestMessage(HttpMethod.Get, new Uri(server.Files + "a/b"));
        asked.Headers.Add("Authorization", "Bearer " + token);
        using HttpResponseMessage response = await server.Client.SendAsync(asked);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.False(Path.Exists(Folder["served/.millrace"]));

        // A second server would not know of the first one's documents.
        Assert.Contains("uses the folder", await FailAsync("serve", "served", "--port", "0", "--read-only", "--state", "state"), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Links)]
    [InlineData("served/state")]
    [InlineData("served/a/../state")]
    [InlineData("link/state")]
    public async Task State_that_clients_could_read_is_refused(string state)
    {
        Write("served/a/b", 10);
        Directory.CreateSymbolicLink(Folder["link"], Folder["served/a"]);
        Assert.Contains(
            "clients could read the tokens", await FailAsync("serve", "served", "--port", "0", "--read-only", "--state", state), StringComparison.Ordinal);
    }

    [Fact]
    public async Task State_can_be_the_hidden_folder()
    {
        Write("served/a/b", 10);
        await SucceedAsync("token", "add", "reader", "--folder", "served");
        using ServedCommand server = await ServeAsync("served", "--read-only", "--state", "served/.millrace");
        Assert.True(server.Ready.GetProperty("needsToken").GetBoolean());
    }

    [Theory]
    [InlineData("with uploads", "--state", "state")]
    [InlineData("--state DIR", "--read-only", "--self-signed")]
    public async Task Options_that_do_not_fit_are_named(string expected, params string[] options) =>
        Assert.Contains(expected, await FailAsync(["serve", Folder.Path, "--port", "0", .. options]), StringComparison.OrdinalIgnoreCase);
}

using System.Text.Json;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Transfers with a server below a path.</summary>
public sealed class PathBaseTests : CommandTests
{
    [Theory]
    [InlineData("/share", "auto")]
    [InlineData("/share", "http1")]
    [InlineData("/share", "http2")]
    [InlineData("/share", "tus")]
    [InlineData("/share", "grpc")]
    [InlineData("/share", "grpc-web")]
    [InlineData("/a/b/files", "http1")]
    [InlineData("/a/b/files", "grpc")]
    public async Task Every_protocol_finds_a_server_below_a_path(string path, string protocol)
    {
        byte[] content = Write("one", 3_000_000);
        using ServedCommand server = await ServeAsync("served", "--path-base", path);
        Assert.EndsWith($"{path}/files/", server.Files, StringComparison.Ordinal);

        if (TestedTransport.IsKestrel && protocol is ("http2" or "grpc"))
        {
            // These have another port there, to which a description below the root does not lead.
            Assert.NotEmpty(await FailAsync("put", "one", server.Files + "folder/two", "--via", protocol, "--attempts", "1"));
            return;
        }

        await SucceedAsync("put", "one", server.Files + "folder/two", "--via", protocol);
        await SucceedAsync("get", server.Files + "folder/two", "back", "--via", protocol);
        string listed = await SucceedAsync("ls", server.Files + "folder/", "--via", protocol);
        await SucceedAsync("rm", server.Files + "folder/two", "--via", protocol);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
        Assert.Contains("two", listed, StringComparison.Ordinal);
        Assert.False(File.Exists(Folder["served/folder/two"]));
    }

    [Fact]
    public async Task Address_of_a_server_below_a_path_means_all_its_files()
    {
        Write("served/one", 10);
        using ServedCommand server = await ServeAsync("served", "--path-base", "/share");

        string listed = await SucceedAsync("ls", server.Files[..^"files/".Length]);

        Assert.Contains("one", listed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Path_outside_is_explained()
    {
        using ServedCommand server = await ServeAsync("served", "--path-base", "/share");

        string error = await FailAsync("get", $"http://127.0.0.1:{server.Port}/files/one", "back");

        Assert.Contains("begin with '/share/' (--path-base)", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Signed_link_of_a_session_is_below_the_path()
    {
        byte[] content = Write("served/one", 100);
        string token = (await SucceedAsync("token", "add", "me", "--folder", "served")).Trim();
        using ServedCommand server = await ServeAsync("served", "--path-base", "/share");
        using var request = new HttpRequestMessage(HttpMethod.Post, server.Files.Replace("/files/", "/links", StringComparison.Ordinal))
        {
            Content = new StringContent("""{"name":"one","method":"GET","seconds":60}""", new System.Net.Http.Headers.MediaTypeHeaderValue("application/json")),
        };
        request.Headers.Authorization = new("Bearer", token);

        using HttpResponseMessage response = await server.Client.SendAsync(request);
        string url = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement.GetProperty("url").GetString()!;

        Assert.StartsWith("/share/files/one?", url, StringComparison.Ordinal);
        await SucceedAsync("get", $"http://127.0.0.1:{server.Port}{url}", "back");
        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["back"]));
    }
}

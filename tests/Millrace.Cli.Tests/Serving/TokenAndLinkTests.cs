using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace token` and `millrace link`, as processes, with a server that runs meanwhile.</summary>
public sealed class TokenAndLinkTests : CommandTests
{
    [Fact]
    public async Task New_token_is_printed_alone_and_valid_until_it_is_removed()
    {
        await File.WriteAllTextAsync(Folder["one.txt"], "one");
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        (int exitCode, string output, string error) = await RunAsync("token", "add", "ci", "--scope", "read,list", "--for", "30d");
        Assert.True(exitCode == 0, error);
        Assert.Matches(@"^mr_[A-Za-z0-9_-]{43}\s*$", output);
        Assert.Contains("read,list until ", error, StringComparison.Ordinal);

        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(serve, "files/one.txt"));
        serve.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", output.Trim());
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(serve, "files/one.txt"));

        (exitCode, _, _) = await RunAsync("token", "remove", "ci");
        Assert.Equal(0, exitCode);
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(serve, "files/one.txt"));
    }

    [Fact]
    public async Task Tokens_are_listed_with_what_they_allow_and_without_secrets()
    {
        await RunAsync("token", "add", "all");
        await RunAsync("token", "add", "one", "--scope", "write", "--prefix", "in/box/", "--json");
        (int exitCode, string output, _) = await RunAsync("token", "list");
        Assert.Equal(0, exitCode);
        Assert.Equal(["all: read,write,delete,list,link", "one: write below in/box"], output.Trim().Split('\n'));

        (_, output, _) = await RunAsync("token", "list", "--json");
        JsonElement second = JsonDocument.Parse(output.Split('\n')[1]).RootElement;
        Assert.Equal("in/box", second.GetProperty("prefix").GetString());
        Assert.False(second.TryGetProperty("token", out _));
    }

    [Fact]
    public async Task Link_downloads_one_file_until_links_are_revoked()
    {
        await File.WriteAllTextAsync(Folder["a b.txt"], "one");
        await RunAsync("token", "add", "all");
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        string address = serve.Client.BaseAddress!.ToString();
        (int exitCode, string url, string error) = await RunAsync("link", "a b.txt", "--for", "1h", "--url", address);
        Assert.True(exitCode == 0, error);
        Assert.StartsWith(address + "files/a%20b.txt?", url, StringComparison.Ordinal);

        Assert.Equal("one", await serve.Client.GetStringAsync(url.Trim()));
        (exitCode, _, _) = await RunAsync("link", "--revoke-all");
        Assert.Equal(0, exitCode);
        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(serve, url.Trim()));
    }

    [Fact]
    public async Task Put_link_takes_one_file()
    {
        await RunAsync("token", "add", "all");
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        (_, string output, _) = await RunAsync("link", "in/new.txt", "--put", "--json", "--url", serve.Client.BaseAddress!.ToString());
        JsonElement link = JsonDocument.Parse(output).RootElement;
        Assert.Equal("PUT", link.GetProperty("method").GetString());

        using HttpResponseMessage put = await serve.Client.PutAsync(link.GetProperty("url").GetString(), new StringContent("new"));
        Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal("new", await File.ReadAllTextAsync(Path.Combine(Folder.Path, "in", "new.txt")));
    }

    [Fact]
    public async Task Tokens_can_be_kept_outside_of_the_folder()
    {
        string tokens = Path.Combine(Folder.Path, "elsewhere", "tokens.json");
        await SucceedAsync("token", "add", "one", "--tokens", tokens);
        Assert.True(File.Exists(tokens));
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--tokens", tokens);
        Assert.True(serve.Ready.GetProperty("needsToken").GetBoolean());
    }

    private static async Task<HttpStatusCode> StatusAsync(ServedCommand serve, string url)
    {
        using HttpResponseMessage response = await serve.Client.GetAsync(url);
        return response.StatusCode;
    }
}

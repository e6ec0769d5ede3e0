using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace link` for folders, as a process, with a server that runs meanwhile.</summary>
public sealed class FolderLinkCommandTests : CommandTests
{
    private async Task<(ServedCommand Server, string Url)> ServeAsync(params string[] options)
    {
        Directory.CreateDirectory(Folder["in"]);
        await File.WriteAllTextAsync(Folder["in/one.txt"], "one");
        await RunAsync("token", "add", "all");
        ServedCommand serve = await ServedCommand.StartAsync(this);
        (int exitCode, string url, string error) = await RunAsync(["link", "in/", "--url", serve.Client.BaseAddress!.ToString(), .. options]);
        Assert.True(exitCode == 0, error);
        return (serve, url.Trim());
    }

    private static async Task<HttpStatusCode> StatusAsync(ServedCommand serve, string url)
    {
        using HttpResponseMessage response = await serve.Client.GetAsync(url);
        return response.StatusCode;
    }

    [Fact]
    public async Task Link_is_made_used_listed_and_revoked()
    {
        (ServedCommand serve, string url) = await ServeAsync("--max-uses", "2", "--max-bytes", "1MiB");
        Assert.Matches("/files/in/\\?mr-link=ml_[A-Za-z0-9_-]{43}$", url);
        string file = url.Replace("in/?", "in/one.txt?", StringComparison.Ordinal);
        Assert.Equal("one", await serve.Client.GetStringAsync(file));
        (int exitCode, string output, _) = await RunAsync("link", "--list");
        Assert.Equal(0, exitCode);
        Assert.Matches("^[0-9a-f]{16}  read  in/  until .* UTC, 1 of 2 uses, 3 of 1048576 bytes\\s*$", output);
        (_, output, _) = await RunAsync("link", "--list", "--json");
        JsonElement line = JsonDocument.Parse(output).RootElement;
        Assert.Equal(("in", "read", 1), (line.GetProperty("folder").GetString(), line.GetProperty("kind").GetString(), line.GetProperty("uses").GetInt32()));
        string id = line.GetProperty("id").GetString()!;
        (exitCode, _, string error) = await RunAsync("link", "--revoke", id);
        Assert.True(exitCode == 0, error);
        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(serve, file));
        (exitCode, _, error) = await RunAsync("link", "--revoke", id);
        Assert.Equal(1, exitCode);
        Assert.Contains($"link '{id}' does not exist", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Put_get_and_list_take_the_link_for_a_token()
    {
        (_, string read) = await ServeAsync();
        (_, string url, _) = await RunAsync("link", "in/", "--drop", "--url", read[..read.IndexOf("/files/", StringComparison.Ordinal)]);
        string drop = url.Trim();
        await File.WriteAllTextAsync(Folder["new.txt"], "new");
        foreach (string via in new[] { "auto", "http1", "tus", "grpc" })
        {
            File.Copy(Folder["new.txt"], Folder[$"{via}.txt"]);
            (int exitCode, string output, string error) = await RunAsync("put", $"{via}.txt", drop, "--via", via);
            Assert.True(exitCode == 0, $"{via}: {error}");
            Assert.DoesNotContain("ml_", output + error, StringComparison.Ordinal);
            Assert.Equal("new", await File.ReadAllTextAsync(Folder[$"in/{via}.txt"]));
        }

        (int refused, _, _) = await RunAsync("put", "new.txt", drop.Replace("in/?", "in/one.txt?", StringComparison.Ordinal));
        Assert.NotEqual(0, refused);
        Assert.Equal("one", await File.ReadAllTextAsync(Folder["in/one.txt"]));
        Directory.CreateDirectory(Folder["out"]);
        (int got, _, string problem) = await RunAsync("get", read.Replace("in/?", "in/one.txt?", StringComparison.Ordinal), "out/");
        Assert.True(got == 0, problem);
        Assert.Equal("one", await File.ReadAllTextAsync(Folder["out/one.txt"]));
        (got, string listed, problem) = await RunAsync("ls", read);
        Assert.True(got == 0, problem);
        Assert.Contains("one.txt", listed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Password_is_read_from_a_file()
    {
        await File.WriteAllTextAsync(Folder["password.txt"], "secret words\nmore\n");
        (ServedCommand serve, string url) = await ServeAsync("--password-file", "password.txt");
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(serve, url));
        serve.Client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Basic", Convert.ToBase64String("me:secret words"u8));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(serve, url));
    }

    [Theory]
    [InlineData("There is no folder 'none/'", "none/")]
    [InlineData("--max-uses is about a link to a folder", "in", "--max-uses", "3")]
    [InlineData("add --drop", "in/", "--ask-name")]
    [InlineData("A link to a folder takes files with --drop", "in/", "--put")]
    [InlineData("use 1 or more", "in/", "--max-uses", "0")]
    [InlineData("take no NAME", "in/", "--list")]
    public async Task What_cannot_be_meant_is_refused(string problem, params string[] arguments)
    {
        Directory.CreateDirectory(Folder["in"]);
        (int exitCode, _, string error) = await RunAsync(["link", .. arguments]);
        Assert.NotEqual(0, exitCode);
        Assert.Contains(problem, error, StringComparison.Ordinal);
    }

    /// <summary>Whenever it is killed, no more downloads arrive whole than the link allows.</summary>
    [Fact]
    public async Task Killed_server_never_gives_more_than_the_link_allows()
    {
        const int Allowed = 12;
        KeepsPorts = true;
        (ServedCommand serve, string url) = await ServeAsync("--max-uses", $"{Allowed}");
        byte[] content = new byte[300_000];
        Random.Shared.NextBytes(content);
        await File.WriteAllBytesAsync(Folder["in/file"], content);
        string file = url.Replace("in/?", "in/file?", StringComparison.Ordinal);
        int whole = 0;
        for (int round = 0; round < 6; round++)
        {
            Task[] downloads = [.. Enumerable.Range(0, 6).Select(async _ =>
            {
                try
                {
                    if ((await serve.Client.GetByteArrayAsync(file)).Length == content.Length)
                    {
                        Interlocked.Increment(ref whole);
                    }
                }
                catch (HttpRequestException)
                {
                    // Killed meanwhile, or no more are allowed.
                }
            })];
            if (round is > 0 and < 5)
            {
                await Task.WhenAny(downloads);
                await serve.KillAsync();
                await Task.WhenAll(downloads);
                await serve.StartAgainAsync();
            }

            await Task.WhenAll(downloads);
        }

        Assert.InRange(whole, 1, Allowed);
        Assert.Equal(HttpStatusCode.Forbidden, await StatusAsync(serve, file));
        (_, string output, _) = await RunAsync("link", "--list", "--json");
        Assert.Equal(Allowed, JsonDocument.Parse(output).RootElement.GetProperty("uses").GetInt32());
    }
}

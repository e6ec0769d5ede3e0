using System.Diagnostics;
using System.Net;
using System.Runtime.Versioning;

namespace Millrace.Cli.Tests.Serving;

/// <summary>
/// `millrace serve` never starts open because it could not read its tokens: only a default file that does not exist means that
/// there are none.
/// </summary>
public sealed class UnreadableTokensTests : CommandTests
{
    private const string Valid = """{"version":1,"tokens":[]}""";

    [Theory]
    [InlineData("null")]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("{}")]
    [InlineData("[]")]
    [InlineData("{\"version\":1}")]
    [InlineData("{\"tokens\":[]}")]
    [InlineData("{\"version\":1,\"tokens\":null}")]
    [InlineData("{\"version\":1,\"tokens\":[null]}")]
    [InlineData("{\"version\":1,\"tokens\":[{}]}")]
    [InlineData("{\"version\":1,\"tokens\":[{\"name\":null,\"sha256\":null,\"scopes\":null}]}")]
    [InlineData("{\"version\":1,\"tokens\":[{\"name\":\"a\",\"sha256\":null,\"scopes\":\"all\"}]}")]
    [InlineData("{\"version\":null,\"tokens\":[]}")]
    [InlineData("{\"version\":1,\"tokens\":[]}{")]
    [InlineData("{\"version\":1,\"tokens\":[],\"linkKey\":\"\"}")]
    [InlineData("\u0001")]
    public async Task Content_that_is_no_list_of_tokens_is_refused(string content)
    {
        File.WriteAllText(Make(".millrace/tokens.json"), content);
        await RefusedAsync("tokens.json");
        File.WriteAllText(Make("other"), content);
        await RefusedAsync("other", "--tokens", "other");
    }

    [Theory]
    [InlineData("missing.json")]
    [InlineData("missing/tokens.json")]
    [InlineData("")]
    public async Task Named_file_that_does_not_exist_is_refused(string path)
    {
        string error = await RefusedAsync($"Token file '{path}' does not exist", "--tokens", path);
        Assert.Contains("millrace token add NAME --tokens", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Folder_is_refused(bool named)
    {
        Directory.CreateDirectory(Folder[".millrace/tokens.json"]);
        await RefusedAsync("tokens.json", named ? ["--tokens", ".millrace/tokens.json"] : []);
    }

    [NeedsTheory(Need.Unix)]
    [InlineData("tokens.json", "nowhere")]
    [InlineData("tokens.json", "tokens.json")]
    [InlineData("tokens.json", "..")]
    [InlineData("tokens.json", "/dev/zero")]
    [InlineData("tokens.json", "/dev/null")]
    public async Task Link_that_leads_to_no_file_is_refused(string name, string target)
    {
        Directory.CreateDirectory(Folder[".millrace"]);
        File.CreateSymbolicLink(Folder[".millrace/" + name], target);
        await RefusedAsync(name);
        await RefusedAsync(name, "--tokens", ".millrace/" + name);
    }

    [NeedsFact(Need.Unix)]
    public async Task Fifo_is_refused_and_not_waited_for()
    {
        Shell.Run("mkfifo", Folder["fifo"]);
        await RefusedAsync("fifo", "--tokens", "fifo");
    }

    [Fact]
    public async Task Name_that_the_system_refuses_is_refused() =>
        await RefusedAsync(OperatingSystem.IsWindows() ? "Token file" : "cannot be read", "--tokens", new string('a', 300));

    [NeedsTheory(Need.Linux | Need.Root)]
    [InlineData(".millrace")]
    [InlineData(".millrace/tokens.json")]
    [UnsupportedOSPlatform("windows")]
    public async Task Missing_permission_is_refused(string what)
    {
        File.WriteAllText(Make(".millrace/tokens.json"), Valid);
        File.SetUnixFileMode(Folder[what], UnixFileMode.None);

        // Root without the rights that make root pass every permission.
        var start = new ProcessStartInfo(
            "setpriv", ["--bounding-set=-dac_override,-dac_read_search", .. Command.Words, "serve", "--port", "0"])
        {
            WorkingDirectory = Folder.Path,
            UseShellExecute = false,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        (int exitCode, _, string error) = await EndAsync(process);
        File.SetUnixFileMode(Folder[what], UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);

        Assert.Equal(1, exitCode);
        ThrowIfNotOneSentence(error, "tokens.json");
    }

    [Fact]
    public async Task No_default_file_and_an_empty_list_mean_no_tokens()
    {
        using (ServedCommand serve = await ServedCommand.StartAsync(this))
        {
            Assert.False(serve.Ready.GetProperty("needsToken").GetBoolean());
            await serve.KillAsync();
        }

        File.WriteAllText(Make("tokens.json"), Valid);
        using ServedCommand named = await ServedCommand.StartAsync(this, "--tokens", "tokens.json");
        Assert.False(named.Ready.GetProperty("needsToken").GetBoolean());
    }

    [NeedsFact(Need.Unix)]
    public async Task Token_removed_behind_a_link_is_refused_from_the_next_request_on()
    {
        string kept = (await SucceedAsync("token", "add", "one", "--tokens", "real/tokens.json")).Trim();
        File.CreateSymbolicLink(Folder["link.json"], "real/tokens.json");
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--tokens", "link.json");
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(serve, kept));

        // Old enough that the server trusts the times of the file.
        File.SetLastWriteTimeUtc(Folder["real/tokens.json"], DateTime.UtcNow.AddMinutes(-1));
        Assert.Equal(HttpStatusCode.OK, await StatusAsync(serve, kept));
        await SucceedAsync("token", "remove", "one", "--tokens", "real/tokens.json");
        Assert.Equal(HttpStatusCode.Unauthorized, await StatusAsync(serve, kept));
    }

    [Fact]
    public async Task File_that_becomes_unreadable_closes_the_server_and_its_path_stays_secret()
    {
        using ServedCommand serve = await ServedCommand.StartAsync(this);
        Directory.CreateDirectory(Folder[".millrace/tokens.json"]);
        foreach (string path in (string[])["files/", ".well-known/millrace", "health"])
        {
            using HttpResponseMessage answer = await serve.Client.GetAsync(path);
            Assert.Equal(path == "files/", answer.StatusCode == HttpStatusCode.InternalServerError);
            Assert.DoesNotContain("tokens.json", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task Server_that_started_with_a_token_stays_closed_though_its_file_is_lost_before_the_first_request()
    {
        await SucceedAsync("token", "add", "one");
        var options = new Millrace.Transfer.Server.TransferHostOptions { Folder = Folder.Path, Port = 0, OfferHttp2Port = false };
        await using var server = await Millrace.Transfer.Server.TransferServer.StartAsync(options);
        File.Delete(Folder[".millrace/tokens.json"]);
        using var client = new HttpClient { BaseAddress = server.Address };

        using HttpResponseMessage answer = await client.GetAsync("files/");
        Assert.Equal(HttpStatusCode.Unauthorized, answer.StatusCode);
    }

    /// <summary>The path of a file whose folder exists.</summary>
    private string Make(string name)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Folder[name])!);
        return Folder[name];
    }

    private static async Task<HttpStatusCode> StatusAsync(ServedCommand serve, string token)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, "files/");
        request.Headers.Authorization = new("Bearer", token);
        using HttpResponseMessage answer = await serve.Client.SendAsync(request);
        return answer.StatusCode;
    }

    private async Task<string> RefusedAsync(string expected, params string[] options)
    {
        string error = await FailAsync(["serve", "--port", "0", .. options]);
        ThrowIfNotOneSentence(error, expected);
        return error;
    }

    private static void ThrowIfNotOneSentence(string error, string expected)
    {
        Assert.StartsWith("millrace serve: ", error, StringComparison.Ordinal);
        Assert.Contains(expected, error, StringComparison.Ordinal);
        Assert.Single(error.TrimEnd().Split('\n'));
    }
}

using System.Net.Http.Json;

namespace Millrace.Transfer.S3.Tests.Serving;

/// <summary>put, get, ls and rm with a server over a bucket.</summary>
public sealed class CommandTests : BucketTest
{
    [NeedsFact(Need.Ceph)]
    public async Task Files_of_every_protocol_and_size_come_back_whole()
    {
        await using ServedBucket server = await ServeAsync();
        foreach (string via in (string[])["http1", "tus", "grpc", "grpc-web"])
        {
            // Nothing, a small object, and two parts and a rest.
            foreach (int length in (int[])[0, 4096, 17_000_001])
            {
                string name = $"{via}-{length}";
                string digest = Write(name, length, length);
                await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, name, $"{server.Files}in/{name}");
                await MillraceCommand.SucceedAsync(Folder.Path, "get", "--via", via, $"{server.Files}in/{name}", $"{name}.back");
                Assert.Equal(digest, DigestOf($"{name}.back"));
            }
        }

        Assert.Equal(12, (await Bucket.VisibleAsync()).Count);
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    /// <remarks>Smaller than a part of an object may be.</remarks>
    [NeedsTheory(Need.Ceph), InlineData("http1"), InlineData("tus"), InlineData("grpc-web")]
    public async Task Files_are_put_in_requests_of_the_announced_size(string via)
    {
        string digest = Write("large", 12_000_001);
        await using ServedBucket server = await ServeAsync("--max-request", "1M");
        using (HttpResponseMessage options = await server.Client.SendAsync(new HttpRequestMessage(HttpMethod.Options, server.Files + "large")))
        {
            Assert.Contains("max-append-size=1048576", Assert.Single(options.Headers.GetValues("Upload-Limit")), StringComparison.Ordinal);
        }

        await MillraceCommand.SucceedAsync(Folder.Path, "put", "--via", via, "large", server.Files + "large");
        await MillraceCommand.SucceedAsync(Folder.Path, "get", server.Files + "large", "back");
        Assert.Equal(digest, DigestOf("back"));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    [NeedsTheory(Need.Ceph), InlineData("http1"), InlineData("grpc")]
    public async Task Only_what_has_changed_of_a_file_is_moved_in_both_directions(string via)
    {
        const int Length = 24_000_000;
        const int MaxMoved = 500_000;
        byte[] content = Content.Random(Length, 3);
        Folder.Write("here/large", content);
        Folder.Write("there/large", content);
        await using ServedBucket server = await ServeAsync();
        string url = server.Files + "f/";
        await MillraceCommand.SucceedAsync(Folder.Path, "sync", "--via", via, "here", url);
        content[Length / 2] ^= 1;
        content[^1] ^= 1;
        content = [.. "front"u8, .. content];
        Folder.Write("here/large", content);

        string up = await MillraceCommand.SucceedAsync(Folder.Path, "sync", "--json", "--delta", "always", "--via", via, "here", url);
        string down = await MillraceCommand.SucceedAsync(Folder.Path, "sync", "--json", "--delta", "always", "--via", via, url, "there");

        foreach (string line in (string[])[up, down])
        {
            using var json = JsonDocument.Parse(line);
            Assert.InRange(json.RootElement.GetProperty("sent").GetInt64(), 1, MaxMoved);
            Assert.InRange(json.RootElement.GetProperty("reused").GetInt64(), Length - MaxMoved, Length);
        }

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["there/large"]));
        Assert.Empty(await Bucket.OpenUploadsAsync());
    }

    /// <remarks>The pause is longer than a bucket keeps an idle connection.</remarks>
    [NeedsFact(Need.Ceph), Trait("Tier", "Soak")]
    public async Task Download_that_its_client_pauses_arrives_whole()
    {
        string digest = Write("large", 60_000_000);
        await Bucket.PutAsync("large", await File.ReadAllBytesAsync(Folder["large"]));
        await using ServedBucket server = await ServeAsync();
        await using Stream body = await server.Client.GetStreamAsync(server.Files + "large");
        byte[] content = new byte[60_000_000];
        await body.ReadExactlyAsync(content.AsMemory(0, 1_000_000));
        await Task.Delay(TimeSpan.FromSeconds(100));
        await body.ReadExactlyAsync(content.AsMemory(1_000_000));
        Assert.Equal(digest, Convert.ToHexStringLower(SHA256.HashData(content)));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Folders_are_put_listed_and_removed()
    {
        Write("a/b/one", 10);
        Write("a/two", 20);
        await using ServedBucket server = await ServeAsync("--max-file", "1M");
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "a", server.Files);
        Assert.Equal(["a/b/one", "a/two"], await Bucket.VisibleAsync());

        string listed = await MillraceCommand.SucceedAsync(Folder.Path, "ls", "--json", server.Files + "a/");
        Assert.Contains("\"a/two\"", listed, StringComparison.Ordinal);
        await MillraceCommand.SucceedAsync(Folder.Path, "rm", server.Files + "a/two");
        Assert.Equal(["a/b/one"], await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task File_over_the_limit_is_refused()
    {
        Write("large", 2_000_000);
        await using ServedBucket server = await ServeAsync("--max-file", "1M");
        (int exitCode, _, string error) = await MillraceCommand.RunAsync(Folder.Path, null, "put", "large", server.Files + "large");
        Assert.NotEqual(0, exitCode);
        Assert.NotEmpty(error);
        Assert.Empty(await Bucket.VisibleAsync());
    }

    [NeedsFact(Need.Ceph)]
    public async Task Two_prefixes_of_a_bucket_do_not_see_each_other()
    {
        Write("x", 10);
        await using ServedBucket one = await ServedBucket.StartAsync(Folder.Path, Bucket.Name + "/one", Bucket.Server.Address);
        await using ServedBucket two = await ServedBucket.StartAsync(Folder.Path, Bucket.Name + "/two", Bucket.Server.Address);
        await MillraceCommand.SucceedAsync(Folder.Path, "put", "x", one.Files + "x");
        Assert.Equal(["one/x"], await Bucket.VisibleAsync());
        Assert.Equal(HttpStatusCode.NotFound, (await two.Client.GetAsync(new Uri("/files/x", UriKind.Relative))).StatusCode);
    }

    [NeedsFact(Need.Ceph)]
    public async Task Tokens_come_from_a_file_and_links_work()
    {
        Write("x", 10);
        string token = (await MillraceCommand.SucceedAsync(Folder.Path, "token", "add", "me", "--tokens", "tokens.json")).Trim();
        await using ServedBucket server = await ServeAsync("--tokens", "tokens.json");
        using var request = new HttpRequestMessage(HttpMethod.Put, new Uri("/files/x", UriKind.Relative)) { Content = new StringContent("x") };
        Assert.Equal(HttpStatusCode.Unauthorized, (await server.Client.GetAsync(new Uri("/files/x", UriKind.Relative))).StatusCode);
        request.Headers.Authorization = new("Bearer", token);
        Assert.Equal(HttpStatusCode.Created, (await server.Client.SendAsync(request)).StatusCode);

        string link = await MillraceCommand.SucceedAsync(
            Folder.Path, "link", "x", "--tokens", "tokens.json", "--url", server.Client.BaseAddress!.AbsoluteUri);
        Assert.Equal("x", await server.Client.GetStringAsync(new Uri(link.Trim())));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Tokens_are_kept_in_the_bucket()
    {
        string[] bucket = ["--folder", "s3://" + Bucket.Name, "--s3-endpoint", Bucket.Server.Address.AbsoluteUri, "--s3-path-style"];
        string token = (await MillraceCommand.SucceedAsync(Folder.Path, ["token", "add", "me", .. bucket])).Trim();
        Assert.StartsWith("me: ", await MillraceCommand.SucceedAsync(Folder.Path, ["token", "list", .. bucket]), StringComparison.Ordinal);
        Assert.Equal([".millrace/tokens.json"], await Bucket.KeysAsync());
        await using ServedBucket server = await ServeAsync("--s3-tokens");
        server.Client.DefaultRequestHeaders.Authorization = new("Bearer", token);
        Assert.Equal(HttpStatusCode.Created, await PutAsync(server));
        foreach (string hidden in (string[])["/files/.millrace/tokens.json", "/files/%2emillrace/tokens.json"])
        {
            Assert.False((await server.Client.GetAsync(new Uri(hidden, UriKind.Relative))).IsSuccessStatusCode, hidden);
        }

        string link = await MillraceCommand.SucceedAsync(
            Folder.Path, ["link", "x", .. bucket, "--url", server.Client.BaseAddress!.AbsoluteUri]);
        using var stranger = new HttpClient();

        // A link of the page is signed with the bucket's key too, which was made with the token.
        using HttpResponseMessage signed = await server.Client.PostAsync(
            new Uri("/links", UriKind.Relative), JsonContent.Create(new { name = "x", method = "GET", seconds = 60 }));
        using JsonDocument made = JsonDocument.Parse(await signed.Content.ReadAsStringAsync());
        await using ServedBucket other = await ServeAsync("--s3-tokens");
        string query = new Uri(server.Client.BaseAddress!, made.RootElement.GetProperty("url").GetString()!).Query;
        Assert.Equal("x", await stranger.GetStringAsync(new Uri(other.Client.BaseAddress!, "/files/x" + query)));

        await Bounded.UntilAsync(async () => (await stranger.GetAsync(new Uri(link.Trim()))).IsSuccessStatusCode);

        await MillraceCommand.SucceedAsync(Folder.Path, ["token", "remove", "me", .. bucket]);
        await Bounded.UntilAsync(async () => await PutAsync(server) == HttpStatusCode.Unauthorized);
        await Bucket.Client.DeleteObjectAsync(Bucket.Name, ".millrace/tokens.json");
        await Bounded.UntilAsync(async () => (await stranger.GetAsync(new Uri(link.Trim()))).StatusCode == HttpStatusCode.Forbidden);
        Assert.Equal(HttpStatusCode.Unauthorized, await PutAsync(server));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Whoever_has_no_token_causes_no_request_to_the_bucket()
    {
        string token = (await MillraceCommand.SucceedAsync(Folder.Path, "token", "add", "me", "--tokens", "tokens.json")).Trim();
        var relay = new TestRelay(() => Bucket.Server.Address.Port);
        await using ServedBucket server =
            await ServedBucket.StartAsync(Folder.Path, Bucket.Name, relay.Address, "--tokens", "tokens.json");

        // Requests to the bucket get no answer now.
        await relay.DisposeAsync();
        Assert.Equal(HttpStatusCode.Unauthorized, await AskAsync(null));
        Assert.Equal(HttpStatusCode.Unauthorized, await AskAsync("wrong"));
        Assert.Equal(HttpStatusCode.ServiceUnavailable, await AskAsync(token));

        async Task<HttpStatusCode> AskAsync(string? bearer)
        {
            using var request = new HttpRequestMessage(HttpMethod.Head, $"uploads/{new string('0', 32)}");
            request.Headers.Add("Tus-Resumable", "1.0.0");
            request.Headers.Authorization = bearer is null ? null : new("Bearer", bearer);
            using HttpResponseMessage response = await server.Client.SendAsync(request);
            return response.StatusCode;
        }
    }

    [NeedsFact(Need.Ceph)]
    public async Task Bucket_without_tokens_is_not_opened_by_mistake()
    {
        (int exitCode, _, string error) = await RunServeWithTokensAsync();
        Assert.Equal(1, exitCode);
        Assert.Contains($"millrace token add NAME --folder s3://{Bucket.Name}", error, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Ceph), InlineData(""), InlineData("null"), InlineData("{"), InlineData("[]"), InlineData("""{"tokens":null}""")]
    public async Task Tokens_that_cannot_be_read_open_nothing(string content)
    {
        await Bucket.PutAsync(".millrace/tokens.json", Encoding.UTF8.GetBytes(content));
        (int exitCode, _, string error) = await RunServeWithTokensAsync();
        Assert.Equal(1, exitCode);
        Assert.Contains($"The tokens in s3://{Bucket.Name} (.millrace/tokens.json) cannot be read", error, StringComparison.Ordinal);
        Assert.Single(error.Trim().Split('\n'));
    }

    [NeedsFact(Need.Ceph)]
    public async Task Of_two_changes_of_the_tokens_one_is_refused()
    {
        var options = new S3FileStoreOptions { Bucket = Bucket.Name, Prefix = "team", Client = Bucket.Client };
        await ChangeTwiceAsync("one", "two");
        await ChangeTwiceAsync("three", "four");

        await using S3TokenFile last = await S3TokenFile.OpenAsync(options);
        Assert.Equal(["one", "three"], new TokenStore(last.Path).List().Select(static token => token.Name));
        string copy = last.Path;
        await last.DisposeAsync();
        Assert.False(Directory.Exists(Path.GetDirectoryName(copy)));

        async Task ChangeTwiceAsync(string saved, string refused)
        {
            await using S3TokenFile first = await S3TokenFile.OpenAsync(options);
            await using S3TokenFile second = await S3TokenFile.OpenAsync(options);
            await new TokenStore(first.Path).AddAsync(saved, TransferScope.Read);
            await new TokenStore(second.Path).AddAsync(refused, TransferScope.Read);
            await first.SaveAsync();
            Assert.Equal(TransferError.Changed, (await Assert.ThrowsAsync<TransferException>(() => second.SaveAsync())).Error);
        }
    }

    private Task<(int ExitCode, string Output, string Error)> RunServeWithTokensAsync() => MillraceCommand.RunAsync(
        Folder.Path, null,
        "serve", "s3://" + Bucket.Name, "--s3-endpoint", Bucket.Server.Address.AbsoluteUri, "--s3-path-style", "--s3-tokens", "--port", "0");

    private static async Task<HttpStatusCode> PutAsync(ServedBucket server)
    {
        using var content = new StringContent("x");
        return (await server.Client.PutAsync(new Uri("/files/x", UriKind.Relative), content)).StatusCode;
    }
}

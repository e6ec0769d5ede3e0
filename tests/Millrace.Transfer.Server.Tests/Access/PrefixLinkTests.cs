using System.Net.Http.Json;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Grpc;

namespace Millrace.Transfer.Server.Tests.Access;

/// <summary>No link leads a token out of its prefix, or any client into the store's own folder, in any protocol.</summary>
public sealed class PrefixLinkTests : GrpcTest
{
    private const string Secret = "secret";

    /// <summary>Where <c>pub/link</c> leads.</summary>
    public static TheoryData<string, string> Links => new()
    {
        { "../secret", "pub/link" },
        { "../.millrace/tokens.json", "pub/link" },
        { "../other", "pub/link/secret" },
        { "../.millrace", "pub/link/tokens.json" },
        { "sub/../../secret", "pub/link" },
    };

    [NeedsTheory(Need.Links), MemberData(nameof(Links))]
    public async Task Links_out_of_a_prefix_are_refused_in_every_protocol(string target, string name)
    {
        string token = await PrepareAsync(target);
        (string, string) bearer = ("authorization", $"Bearer {token}");

        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(HttpMethod.Get, name, token));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(HttpMethod.Head, name, token));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(HttpMethod.Put, name, token, "changed"));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(HttpMethod.Delete, name, token));
        Assert.Equal(HttpStatusCode.Forbidden, await SendAsync(HttpMethod.Put, name, token, "changed", ("Upload-Complete", "?1")));
        Assert.Equal(HttpStatusCode.Forbidden, await TusAsync(name, token));

        (await CallAsync("Stat", new StatRequest { Name = name }, bearer)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Download", new DownloadRequest { Name = name }, bearer)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Delete", new DeleteRequest { Name = name }, bearer)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Upload", Frames.Upload(name, [1]), bearer)).Failed(7, TransferError.Forbidden);
        string upload = (await CallAsync("StartUpload", new StartUploadRequest { Name = name, Length = 1 }, bearer))
            .Only(Messages.UploadStatus.Parser).Upload;
        (await CallAsync("UploadPart", ResumableTests.Part(upload, 0, [1]), bearer)).Only(Messages.UploadStatus.Parser);
        (await CallAsync("CommitUpload", new CommitUploadRequest { Upload = upload }, bearer)).Failed(7, TransferError.Forbidden);

        Assert.Equal(Secret, await File.ReadAllTextAsync(PathOf("secret")));
        Assert.Equal([Secret], Directory.GetFileSystemEntries(PathOf("other")).Select(Path.GetFileName));
        Assert.NotEmpty(new TokenStore(TokenStore.DefaultPath(Server.Folder)).List());
    }

    [NeedsTheory(Need.Links), MemberData(nameof(Links))]
    public async Task Listings_and_archives_leave_links_out_of_a_prefix_out(string target, string name)
    {
        string token = await PrepareAsync(target);

        foreach (string query in new[] { "", "?recursive", "?archive=tar", "?archive=zip" })
        {
            using HttpResponseMessage response = await GetAsync($"/files/pub/{query}", token);
            Assert.Equal(HttpStatusCode.OK, response.StatusCode);
            string content = Encoding.Latin1.GetString(await response.Content.ReadAsByteArrayAsync());
            Assert.Contains("inside", content, StringComparison.Ordinal);

            // As a name; an archive that leaves something out has a sentence about links.
            Assert.DoesNotMatch("(?<![a-z ])link(?![a-z])", content);
            Assert.DoesNotContain(Secret, content, StringComparison.Ordinal);
        }

        using HttpResponseMessage folder = await GetAsync($"/files/{(name == "pub/link" ? name : "pub/link")}/", token);
        Assert.Equal(HttpStatusCode.Forbidden, folder.StatusCode);
        GrpcReply all = await CallAsync(
            "List", new ListRequest { Folder = "pub", Recursive = true }, ("authorization", $"Bearer {token}"));
        Assert.Equal(["pub/inside", "pub/sub/file"], all.Messages.Select(static entry => ListEntry.Parser.ParseFrom(entry).Name));
    }

    [NeedsTheory(Need.Links), InlineData(false), InlineData(true)]
    public async Task Signed_links_lead_no_further_than_the_token_that_signed_them(bool portable)
    {
        foreach ((string target, string name) in Links.Select(static row => ((string)row[0], (string)row[1])))
        {
            await ServeAsync(host: options => options.Store = new LocalFileStoreOptions { Portable = portable });
            string token = await PrepareAsync(target);
            foreach (string method in new[] { "GET", "HEAD", "PUT" })
            {
                using var request = new HttpRequestMessage(new HttpMethod(method), await LinkAsync(token, name, method == "PUT" ? "PUT" : "GET"));
                request.Content = method == "PUT" ? new StringContent("changed") : null;
                using HttpResponseMessage response = await Server.Client.SendAsync(request);
                Assert.True(response.StatusCode == HttpStatusCode.Forbidden, $"{method} {name} to {target}: {response.StatusCode}");
            }

            Assert.Equal(Secret, await File.ReadAllTextAsync(PathOf("secret")));
            Assert.Equal(Secret, await File.ReadAllTextAsync(PathOf("other/secret")));
        }
    }

    [NeedsTheory(Need.Links), InlineData(false), InlineData(true)]
    public async Task Signed_links_lead_as_far_as_the_token_that_signed_them(bool portable)
    {
        await ServeAsync(host: options => options.Store = new LocalFileStoreOptions { Portable = portable });
        string token = await PrepareAsync("sub/file");
        string all = (await new TokenStore(TokenStore.DefaultPath(Server.Folder)).AddAsync("all", TransferScope.All)).Secret;
        File.CreateSymbolicLink(PathOf("pub/out"), "../other");

        Assert.Equal("1", await Server.Client.GetStringAsync(await LinkAsync(token, "pub/link", "GET")));
        Assert.Equal(Secret, await Server.Client.GetStringAsync(await LinkAsync(all, "pub/out/secret", "GET")));
    }

    [NeedsFact(Need.Links)]
    public async Task Links_within_a_prefix_are_followed()
    {
        string token = await PrepareAsync("sub/file");

        Assert.Equal(HttpStatusCode.OK, await SendAsync(HttpMethod.Get, "pub/link", token));
        Assert.Equal(HttpStatusCode.NoContent, await SendAsync(HttpMethod.Put, "pub/link", token, "changed"));
        Assert.Equal("changed", await File.ReadAllTextAsync(PathOf("pub/sub/file")));
    }

    [Theory]
    [InlineData("MILLRA~1/tokens.json")]
    [InlineData("millra~2")]
    [InlineData("pub/.mill\u00ADrace/tokens.json")]
    [InlineData(".millrace\u200D/tokens.json")]
    [InlineData(".\uFE00millrace/tokens.json")]
    public async Task Other_spellings_of_the_stores_own_folder_are_not_names(string name)
    {
        string token = await PrepareAsync();

        Assert.Equal(HttpStatusCode.BadRequest, await SendAsync(HttpMethod.Get, name, token));
        Assert.Equal(HttpStatusCode.BadRequest, await SendAsync(HttpMethod.Put, name, token, "changed"));
        (await CallAsync("Stat", new StatRequest { Name = name }, ("authorization", $"Bearer {token}")))
            .Failed(3, TransferError.InvalidName);
    }

    private async Task<string> PrepareAsync(string? target = null)
    {
        Directory.CreateDirectory(PathOf("pub/sub"));
        Directory.CreateDirectory(PathOf("other"));
        await File.WriteAllTextAsync(PathOf("secret"), Secret);
        await File.WriteAllTextAsync(PathOf("other/secret"), Secret);
        await File.WriteAllTextAsync(PathOf("pub/inside"), "1");
        await File.WriteAllTextAsync(PathOf("pub/sub/file"), "1");
        if (target is not null)
        {
            File.CreateSymbolicLink(PathOf("pub/link"), target);
        }

        var tokens = new TokenStore(TokenStore.DefaultPath(Server.Folder));
        return (await tokens.AddAsync("one", TransferScope.All, TransferName.Parse("pub"))).Secret;
    }

    private async Task<HttpStatusCode> SendAsync(
        HttpMethod method, string name, string token, string? body = null, params (string Name, string Value)[] fields)
    {
        using var request = new HttpRequestMessage(method, $"/files/{string.Join('/', name.Split('/').Select(Uri.EscapeDataString))}");
        request.Headers.Authorization = new("Bearer", token);
        request.Content = body is null ? null : new StringContent(body);
        foreach ((string field, string value) in fields)
        {
            Assert.True(request.Headers.TryAddWithoutValidation(field, value));
        }

        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        return response.StatusCode;
    }

    private async Task<HttpResponseMessage> GetAsync(string path, string token)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        request.Headers.Authorization = new("Bearer", token);
        request.Headers.Accept.ParseAdd("application/json");
        return await Server.Client.SendAsync(request);
    }

    private async Task<string> LinkAsync(string token, string name, string method)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/links") { Content = JsonContent.Create(new { name, method, seconds = 60 }) };
        request.Headers.Authorization = new("Bearer", token);
        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        response.EnsureSuccessStatusCode();
        using JsonDocument link = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        return link.RootElement.GetProperty("url").GetString()!;
    }

    private async Task<HttpStatusCode> TusAsync(string name, string token)
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, "/uploads") { Content = new ByteArrayContent([1]) };
        request.Content.Headers.ContentType = new("application/offset+octet-stream");
        request.Headers.Authorization = new("Bearer", token);
        foreach ((string field, string value) in new[]
        {
            ("Tus-Resumable", "1.0.0"), ("Upload-Length", "1"),
            ("Upload-Metadata", $"filename {Convert.ToBase64String(Encoding.UTF8.GetBytes(name))}"),
        })
        {
            Assert.True(request.Headers.TryAddWithoutValidation(field, value));
        }

        using HttpResponseMessage response = await Server.Client.SendAsync(request);
        return response.StatusCode;
    }
}

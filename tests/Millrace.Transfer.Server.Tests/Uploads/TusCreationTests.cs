namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusCreationTests : ServerTest
{
    private static readonly string Metadata = $"Upload-Metadata: filename {UploadServer.Base64("a.bin")}";

    protected override RunningServerOptions Options => new() { Store = new LocalFileStoreOptions { MaxFileBytes = 1_000_000 } };

    [Fact]
    public async Task Creation_can_have_the_first_bytes()
    {
        byte[] content = Content.Of(5000);
        using HttpResponseMessage created = await Server.TusAsync(
            HttpMethod.Post, "/uploads", content[..2000], "Upload-Length: 5000", Metadata);
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal("2000", created.Field("Upload-Offset"));
        using HttpResponseMessage last = await Server.PatchTusAsync(
            created.Headers.Location!.OriginalString, 2000, content[2000..]);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a.bin")));
    }

    [Theory, InlineData(0), InlineData(1), InlineData(70_000)]
    public async Task Creation_can_have_the_whole_file(int length)
    {
        byte[] content = Content.Of(length);
        using HttpResponseMessage created = await Server.TusAsync(
            HttpMethod.Post, "/uploads", content, $"Upload-Length: {length}", Metadata);
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal("/files/a.bin", created.Field("Content-Location"));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a.bin")));
    }

    [Fact]
    public async Task Deferred_length_can_be_set_later()
    {
        using HttpResponseMessage created = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, "Upload-Defer-Length: 1", Metadata);
        string url = created.Headers.Location!.OriginalString;
        using HttpResponseMessage first = await Server.PatchTusAsync(url, 0, [1, 2]);
        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal("1", head.Field("Upload-Defer-Length"));
        Assert.Null(head.Field("Upload-Length"));
        using HttpResponseMessage last = await Server.PatchTusAsync(url, 2, [3], "Upload-Length: 3");
        Assert.Equal("/files/a.bin", last.Field("Content-Location"));
        Assert.Equal([1, 2, 3], await File.ReadAllBytesAsync(Server.PathOf("a.bin")));
    }

    [Fact]
    public async Task Length_can_be_set_only_once()
    {
        string url = await Server.BeginAsync("a.bin", 3);
        await Server.PatchTusAsync(url, 0, [1], "Upload-Length: 4").AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Theory]
    [InlineData("")]
    [InlineData("Upload-Length: -1")]
    [InlineData("Upload-Length: 1e3")]
    [InlineData("Upload-Length: 99999999999999999999")]
    [InlineData("Upload-Defer-Length: 2")]
    [InlineData("Upload-Length: 1|Upload-Defer-Length: 1")]
    public async Task Invalid_length_is_refused(string fields)
    {
        string[] all = [.. fields.Split('|', StringSplitOptions.RemoveEmptyEntries), Metadata];
        await Server.TusAsync(HttpMethod.Post, "/uploads", null, all).AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Fact]
    public async Task File_over_the_limit_is_refused_with_the_limit()
    {
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", null, "Upload-Length: 1000001", Metadata);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal("1000000", response.Field("Tus-Max-Size"));
    }

    [Theory]
    [InlineData("")]
    [InlineData("../evil")]
    [InlineData("/etc/passwd")]
    [InlineData(".millrace/x")]
    public async Task Invalid_name_is_refused(string name)
    {
        string[] fields = name.Length == 0
            ? ["Upload-Length: 1"]
            : ["Upload-Length: 1", $"Upload-Metadata: filename {UploadServer.Base64(name)}"];
        using HttpResponseMessage response = await Server.TusAsync(HttpMethod.Post, "/uploads", null, fields);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("application/problem+json", response.Content.Headers.ContentType!.MediaType);
    }

    [Fact]
    public async Task Existing_name_is_refused_at_creation()
    {
        await Server.WriteAsync("a.bin", new byte[] { 7 });
        await Server.TusAsync(HttpMethod.Post, "/uploads", null, "Upload-Length: 1", "If-None-Match: *", Metadata)
            .AnswersAsync(HttpStatusCode.PreconditionFailed);
    }

    [Fact]
    public async Task Name_taken_meanwhile_is_refused_at_completion_and_by_HEAD()
    {
        string url = await Server.BeginAsync("a.bin", 1, "If-None-Match: *");
        await Server.WriteAsync("a.bin", new byte[] { 7 });
        await Server.PatchTusAsync(url, 0, [1]).AnswersAsync(HttpStatusCode.PreconditionFailed);
        Assert.Equal([7], await File.ReadAllBytesAsync(Server.PathOf("a.bin")));

        await Server.TusAsync(HttpMethod.Head, url).AnswersAsync(HttpStatusCode.PreconditionFailed);

        (await SendAsync(HttpMethod.Delete, "files/a.bin")).EnsureSuccessStatusCode();
        await Server.TusAsync(HttpMethod.Head, url).AnswersAsync(HttpStatusCode.OK);
        Assert.Equal([1], await File.ReadAllBytesAsync(Server.PathOf("a.bin")));
    }

    [Theory, InlineData("hex"), InlineData("base64 of the text"), InlineData("base64 of the bytes")]
    public async Task A_digest_in_the_metadata_is_verified_before_publishing(string form)
    {
        Sha256Digest digest = Sha256Digest.Compute([1, 2, 3]);
        byte[] raw = new byte[SHA256.HashSizeInBytes];
        digest.CopyTo(raw);
        string value = form switch
        {
            "hex" => UploadServer.Base64(digest.ToString()),
            "base64 of the text" => UploadServer.Base64(digest.ToBase64()),
            _ => Convert.ToBase64String(raw),
        };
        string metadata = $"{Metadata},sha256 {value}";
        await Server.TusAsync(HttpMethod.Post, "/uploads", [1, 2, 4], "Upload-Length: 3", metadata)
            .AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
        await Server.TusAsync(
            HttpMethod.Post, "/uploads", [1, 2, 3], "Upload-Length: 3", metadata).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(["a.bin"], Server.VisibleFiles());
    }

    [Fact]
    public async Task Expired_upload_is_gone_as_announced()
    {
        var clock = new ManualClock();
        await using RunningServer server = await RunningServer.StartAsync(
            new RunningServerOptions { Store = new LocalFileStoreOptions { EmptyUploadLifetime = TimeSpan.FromHours(2), TimeProvider = clock } });
        using HttpResponseMessage created = await server.TusAsync(
            HttpMethod.Post, "/uploads", null, "Upload-Length: 1", Metadata);
        Assert.True(DateTimeOffset.TryParse(created.Field("Upload-Expires"), out DateTimeOffset expires));
        Assert.InRange(expires, clock.Now.AddMinutes(100), clock.Now.AddMinutes(125));
        clock.Advance(TimeSpan.FromHours(3));
        await server.TusAsync(
            HttpMethod.Head, created.Headers.Location!.OriginalString).AnswersAsync(HttpStatusCode.NotFound);
    }
}

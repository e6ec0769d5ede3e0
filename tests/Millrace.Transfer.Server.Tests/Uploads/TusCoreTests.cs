namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusCoreTests : ServerTest
{
    protected override RunningServerOptions Options => new() { Store = new LocalFileStoreOptions { MaxFileBytes = 1_000_000 } };

    [Fact]
    public async Task Status_of_an_upload_is_answered_to_GET_as_to_HEAD()
    {
        string url = await Server.BeginAsync("a", 3);
        await Server.PatchTusAsync(url, 0, [1, 2]).AnswersAsync(HttpStatusCode.NoContent);
        foreach (HttpMethod method in new[] { HttpMethod.Head, HttpMethod.Get })
        {
            using HttpResponseMessage tus = await Server.TusAsync(method, url);
            using HttpResponseMessage draft = await Server.DraftAsync(method, url);
            Assert.Equal((HttpStatusCode.OK, "2", "3"), (tus.StatusCode, tus.Field("Upload-Offset"), tus.Field("Upload-Length")));
            Assert.Equal((HttpStatusCode.NoContent, "2", "?0"), (draft.StatusCode, draft.Field("Upload-Offset"), draft.Field("Upload-Complete")));
            Assert.All([tus, draft], response => Assert.Equal("no-store", response.Field("Cache-Control")));
        }
    }

    [Fact]
    public async Task OPTIONS_lists_the_servers_capabilities()
    {
        using HttpResponseMessage response = await Server.DraftAsync(HttpMethod.Options, "/uploads");
        Assert.Equal(HttpStatusCode.NoContent, response.StatusCode);
        Assert.Equal("1.0.0", response.Field("Tus-Version"));
        Assert.Equal("1000000", response.Field("Tus-Max-Size"));
        Assert.Equal("sha256,sha1", response.Field("Tus-Checksum-Algorithm"));
        Assert.Equal(
            ["creation", "creation-defer-length", "creation-with-upload", "expiration", "termination", "checksum", "checksum-trailer", "concatenation"],
            response.Field("Tus-Extension")!.Split(','));
        Assert.Null(response.Field("Accept-Patch"));
        Assert.Equal("max-size=1000000", response.Field("Upload-Limit"));
    }

    [Fact]
    public async Task Parts_are_published_with_the_last_one()
    {
        byte[] content = Content.Of(100_000);
        string url = await Server.BeginAsync("reports/may.csv", content.Length);
        using HttpResponseMessage first = await Server.PatchTusAsync(url, 0, content[..40_000]);
        Assert.Equal(HttpStatusCode.NoContent, first.StatusCode);
        Assert.Equal("40000", first.Field("Upload-Offset"));
        Assert.NotNull(first.Field("Upload-Expires"));
        Assert.Empty(Server.VisibleFiles());

        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal(HttpStatusCode.OK, head.StatusCode);
        Assert.Equal("40000", head.Field("Upload-Offset"));
        Assert.Equal("100000", head.Field("Upload-Length"));
        Assert.Equal($"filename {UploadServer.Base64("reports/may.csv")}", head.Field("Upload-Metadata"));
        Assert.Equal("no-store", head.Field("Cache-Control"));
        Assert.Equal("1.0.0", head.Field("Tus-Resumable"));

        using HttpResponseMessage last = await Server.PatchTusAsync(url, 40000, content[40_000..]);
        Assert.Equal(HttpStatusCode.NoContent, last.StatusCode);
        Assert.Equal("/files/reports/may.csv", last.Field("Content-Location"));
        Assert.Equal(DigestField.Format(Sha256Digest.Compute(content)), last.Field("Repr-Digest"));
        Assert.NotNull(last.Field("ETag"));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("reports/may.csv")));
    }

    [Fact]
    public async Task HEAD_of_a_published_upload_describes_the_file()
    {
        string url = await Server.BeginAsync("a", 3);
        using HttpResponseMessage last = await Server.PatchTusAsync(url, 0, [1, 2, 3]);
        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal("3", head.Field("Upload-Offset"));
        Assert.Equal(last.Field("ETag"), head.Field("ETag"));
        Assert.Equal("/files/a", head.Field("Content-Location"));
    }

    [Theory, InlineData("0.2.2"), InlineData("")]
    public async Task Another_version_is_refused_with_412(string version)
    {
        using HttpResponseMessage response = await Server.DraftAsync(
            HttpMethod.Post, "/uploads", null, $"Tus-Resumable: {version}", "Upload-Length: 1");
        Assert.Equal(HttpStatusCode.PreconditionFailed, response.StatusCode);
        Assert.Equal("1.0.0", response.Field("Tus-Version"));
    }

    [Fact]
    public Task A_creation_without_a_version_is_refused_with_412() =>
        Server.DraftAsync(HttpMethod.Post, "/uploads", null, "Upload-Length: 1")
            .AnswersAsync(HttpStatusCode.PreconditionFailed);

    [Fact]
    public async Task Another_content_type_is_refused_with_415()
    {
        string url = await Server.BeginAsync("a", 3);
        await Server.PatchTusAsync(url, 0, [1, 2, 3], "Content-Type: application/octet-stream")
            .AnswersAsync(HttpStatusCode.UnsupportedMediaType);
    }

    [Theory, InlineData(""), InlineData("Upload-Offset: -1"), InlineData("Upload-Offset: one")]
    public async Task Invalid_offset_is_refused_with_400(string field)
    {
        string url = await Server.BeginAsync("a", 5);
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Patch, url, [1], field.Length == 0 ? [] : [field]);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
    }

    [Theory, InlineData("POST"), InlineData("DELETE")]
    public async Task Method_can_be_overridden_by_a_header(string method)
    {
        string url = await Server.BeginAsync("a", 3);
        using HttpResponseMessage patch = await Server.TusAsync(
            new HttpMethod(method), url, [1, 2], "Upload-Offset: 0", "X-HTTP-Method-Override: PATCH");
        Assert.Equal("2", patch.Field("Upload-Offset"));
        using HttpResponseMessage head = await Server.TusAsync(
            HttpMethod.Post, url, null, "X-HTTP-Method-Override: HEAD");
        Assert.Equal("2", head.Field("Upload-Offset"));
        await Server.TusAsync(
            HttpMethod.Post, url, null, "X-HTTP-Method-Override: DELETE").AnswersAsync(HttpStatusCode.NoContent);
    }

    [Fact]
    public async Task Other_methods_are_refused_with_the_allowed_ones()
    {
        using HttpResponseMessage response = await Server.TusAsync(HttpMethod.Put, "/uploads", [1]);
        Assert.Equal(HttpStatusCode.MethodNotAllowed, response.StatusCode);
        Assert.Contains("POST", response.Content.Headers.Allow);
    }

    [Fact]
    public async Task Upload_can_be_continued_only_with_its_token()
    {
        UploadStatus status = await Server.Store.StartUploadAsync(
            new StartUploadOptions { Name = TransferName.Parse("a"), Length = 3, Owner = "alice" }, default);
        foreach (string method in (string[])["HEAD", "PATCH", "DELETE"])
        {
            using HttpResponseMessage response = await Server.TusAsync(
                new HttpMethod(method), $"/uploads/{status.Id}", method == "PATCH" ? [1] : null, "Upload-Offset: 0");
            Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        }
    }

    [Theory, InlineData(false, 5), InlineData(true, 0)]
    public async Task Broken_chunk_is_refused_by_tus_with_the_offset_that_was_kept(bool hasChecksum, long kept)
    {
        string url = await Server.BeginAsync("a", 100);
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address);
        string checksum = hasChecksum ? $"Upload-Checksum: sha1 {Convert.ToBase64String(new byte[20])}\r\n" : "";
        await connection.SendAsync(
            $"PATCH {url} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n{checksum}"
            + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
        if (!hasChecksum)
        {
            await Server.ReceivedAsync(url, kept);
        }

        await connection.SendAsync("ZZ\r\n");
        string head = await connection.ReadHeadAsync();
        string body = await connection.ReadUntilAsync("}");

        Assert.StartsWith("HTTP/1.1 400", head, StringComparison.Ordinal);
        Assert.Contains("Tus-Resumable: 1.0.0", head, StringComparison.Ordinal);
        Assert.Contains($"Upload-Offset: {kept}\r\n", head, StringComparison.Ordinal);
        Assert.Contains($"has {kept} bytes; continue there", body, StringComparison.Ordinal);
        using HttpResponseMessage status = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal($"{kept}", status.Field("Upload-Offset"));
    }
}

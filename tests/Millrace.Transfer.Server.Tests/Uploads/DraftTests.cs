using System.IO.Compression;

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class DraftTests : ServerTest
{
    protected override RunningServerOptions Options => new() { Store = new LocalFileStoreOptions { MaxFileBytes = 1_000_000 } };

    [Theory, InlineData("PUT", 0), InlineData("PUT", 70_000), InlineData("POST", 5)]
    public async Task Creation_at_the_files_URL_receives_the_whole_file(string method, int length)
    {
        byte[] content = Content.Of(length);
        using HttpResponseMessage created = await Server.DraftAsync(
            new HttpMethod(method), "/files/folder/a%20b", content, "Upload-Complete: ?1");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal("?1", created.Field("Upload-Complete"));
        Assert.Equal("/files/folder/a%20b", created.Field("Content-Location"));
        Assert.Equal(DigestField.Format(Sha256Digest.Compute(content)), created.Field("Repr-Digest"));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("folder/a b")));
    }

    [Fact]
    public async Task Last_part_completes_the_file()
    {
        byte[] content = Content.Of(100_000);
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", content[..30_000], "Upload-Complete: ?0", "Upload-Length: 100000");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal("?0", created.Field("Upload-Complete"));
        Assert.StartsWith("max-size=1000000, max-age=", created.Field("Upload-Limit"), StringComparison.Ordinal);
        string url = created.Headers.Location!.OriginalString;

        using HttpResponseMessage part = await Server.PatchDraftAsync(url, 30000, content[30_000..60_000], "?0");
        Assert.Equal(HttpStatusCode.NoContent, part.StatusCode);
        Assert.Equal("?0", part.Field("Upload-Complete"));

        using HttpResponseMessage head = await Server.DraftAsync(HttpMethod.Head, url);
        Assert.Equal(HttpStatusCode.NoContent, head.StatusCode);
        Assert.Equal("60000", head.Field("Upload-Offset"));
        Assert.Equal("100000", head.Field("Upload-Length"));
        Assert.Equal("?0", head.Field("Upload-Complete"));
        Assert.Equal("no-store", head.Field("Cache-Control"));

        using HttpResponseMessage last = await Server.PatchDraftAsync(url, 60000, content[60_000..], "?1");
        Assert.Equal(HttpStatusCode.Created, last.StatusCode);
        Assert.Equal("/files/a", last.Field("Content-Location"));
        Assert.Equal("/files/a", last.Field("Location"));
        Assert.Equal("?1", last.Field("Upload-Complete"));
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));

        using HttpResponseMessage done = await Server.DraftAsync(HttpMethod.Head, url);
        Assert.Equal("?1", done.Field("Upload-Complete"));
        Assert.Equal(last.Field("ETag"), done.Field("ETag"));
    }

    [Fact]
    public async Task Complete_bytes_are_not_published_before_the_client_says_so()
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2], "Upload-Complete: ?0", "Upload-Length: 2");
        string url = created.Headers.Location!.OriginalString;
        Assert.Empty(Server.VisibleFiles());
        await Server.PatchDraftAsync(url, 2, [], "?1").AnswersAsync(HttpStatusCode.Created);
        Assert.Equal([1, 2], await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory]
    [InlineData("Upload-Complete: ?0, ?0")]
    [InlineData("Upload-Complete: false")]
    [InlineData("Upload-Complete: ")]
    [InlineData("Upload-Incomplete: 1")]
    public async Task Part_of_a_file_that_says_so_in_a_way_we_cannot_read_is_not_published_as_the_whole(string field)
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2], field, "Upload-Length: 5", "Upload-Draft-Interop-Version: 3");
        Assert.Equal(HttpStatusCode.BadRequest, created.StatusCode);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Replacing_a_file_is_answered_204()
    {
        await Server.WriteAsync("a", new byte[] { 9 });
        using HttpResponseMessage replaced = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2], "Upload-Complete: ?1");
        Assert.Equal(HttpStatusCode.NoContent, replaced.StatusCode);
        Assert.NotNull(replaced.Field("ETag"));
    }

    [Fact]
    public async Task Name_can_be_given_by_Content_Disposition()
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Post, "/uploads", [1], "Upload-Complete: ?1",
            "Content-Disposition: inline; filename=\"x.txt\"; filename*=UTF-8''%E4%BD%A0.txt");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal(["你.txt"], Server.VisibleFiles());
    }

    [Fact]
    public Task An_upload_without_a_name_is_refused() =>
        Server.DraftAsync(HttpMethod.Post, "/uploads", [1], "Upload-Complete: ?1")
            .AnswersAsync(HttpStatusCode.BadRequest);

    [Fact]
    public async Task Offset_mismatch_problem_has_both_offsets()
    {
        string url = await BeginAsync();
        using HttpResponseMessage response = await Server.PatchDraftAsync(url, 7, [1], "?0");
        Assert.Equal(HttpStatusCode.Conflict, response.StatusCode);
        Assert.Equal("3", response.Field("Upload-Offset"));
        using JsonDocument problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        Assert.Equal(
            "https://iana.org/assignments/http-problem-types#mismatching-upload-offset",
            problem.RootElement.GetProperty("type").GetString());
        Assert.Equal(3, problem.RootElement.GetProperty("expected-offset").GetInt64());
        Assert.Equal(7, problem.RootElement.GetProperty("provided-offset").GetInt64());
    }

    [Theory]
    [InlineData("Upload-Complete: ?0", "Upload-Length: 9")]
    [InlineData("Upload-Complete: ?1", "Upload-Length: 5")]
    [InlineData("Upload-Complete: ?1", "X: y")]
    public async Task Contradicting_lengths_are_a_problem(string complete, string length)
    {
        string url = await BeginAsync();
        using HttpResponseMessage response = await Server.DraftAsync(
            HttpMethod.Patch, url, [1], complete, "Upload-Offset: 3", length);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Contains("#inconsistent-upload-length", await response.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Complete_upload_accepts_no_more_bytes()
    {
        string url = await BeginAsync();
        using HttpResponseMessage last = await Server.PatchDraftAsync(url, 3, [1, 2], "?1");
        Assert.True(last.IsSuccessStatusCode);
        using HttpResponseMessage empty = await Server.PatchDraftAsync(url, 5, [], "?1");
        Assert.Contains("#completed-upload", await empty.Content.ReadAsStringAsync(), StringComparison.Ordinal);
        using HttpResponseMessage more = await Server.PatchDraftAsync(url, 5, [6], "?1");
        Assert.Contains("#inconsistent-upload-length", await more.Content.ReadAsStringAsync(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("8", HttpStatusCode.UnsupportedMediaType)]
    [InlineData("5", HttpStatusCode.NoContent)]
    public async Task Media_type_is_required_since_draft_04(string version, HttpStatusCode status)
    {
        string url = await BeginAsync();
        await Server.PatchDraftAsync(
            url, 3, [1], "?0",
            $"Upload-Draft-Interop-Version: {version}", "Content-Type: application/octet-stream").AnswersAsync(status);
    }

    [Theory, InlineData("If-None-Match: *"), InlineData("If-Match: \"another\"")]
    public async Task Preconditions_hold_at_creation(string field)
    {
        await Server.WriteAsync("a", new byte[] { 9 });
        await Server.DraftAsync(HttpMethod.Put, "/files/a", [1], "Upload-Complete: ?1", field)
            .AnswersAsync(HttpStatusCode.PreconditionFailed);
        Assert.Equal([9], await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task Precondition_failure_at_completion_reports_all_bytes_received()
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", null, "Upload-Complete: ?0", "If-None-Match: *");
        await Server.WriteAsync("a", new byte[] { 9 });
        using HttpResponseMessage last = await Server.PatchDraftAsync(
            created.Headers.Location!.OriginalString, 0, [1], "?1");
        Assert.Equal(HttpStatusCode.PreconditionFailed, last.StatusCode);
        Assert.Equal("?1", last.Field("Upload-Complete"));
    }

    [Theory, InlineData(true), InlineData(false)]
    public async Task A_digest_of_the_whole_is_verified_before_publishing(bool atCreation)
    {
        string field = $"Repr-Digest: {DigestField.Format(Sha256Digest.Compute([1, 2, 3]))}";
        foreach ((byte last, bool right) in (ValueTuple<byte, bool>[])[(4, false), (3, true)])
        {
            string[] fields = ["Upload-Complete: ?0", "Upload-Length: 3"];
            using HttpResponseMessage created = await Server.DraftAsync(
                HttpMethod.Put, "/files/a", [1, 2], atCreation ? [.. fields, field] : fields);
            using HttpResponseMessage response = await Server.DraftAsync(
                HttpMethod.Patch, created.Headers.Location!.OriginalString, [last],
                atCreation ? ["Upload-Complete: ?1", "Upload-Offset: 2"] : ["Upload-Complete: ?1", "Upload-Offset: 2", field]);
            Assert.Equal(right ? HttpStatusCode.Created : HttpStatusCode.BadRequest, response.StatusCode);
            Assert.Equal(right, File.Exists(Server.PathOf("a")));
        }
    }

    [Theory]
    [InlineData("PUT", "?0", "gzip")]
    [InlineData("POST", "?1", "br")]
    [InlineData("PUT", "?0", "zstd")]
    public async Task A_coding_of_parts_is_refused_with_the_reason(string method, string complete, string coding)
    {
        using HttpResponseMessage response = await Server.DraftAsync(
            new HttpMethod(method), "/files/a", [1], $"Upload-Complete: {complete}", $"Content-Encoding: {coding}");
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, response.StatusCode);
        Assert.Equal("identity", response.Field("Accept-Encoding"));
        Assert.Equal("?1", response.Field("Upload-Complete"));
        using JsonDocument problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        Assert.Contains(coding, problem.RootElement.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task A_coding_of_the_whole_file_is_decoded()
    {
        byte[] content = Content.Of(50_000);
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Fastest))
        {
            gzip.Write(content);
        }

        await Server.DraftAsync(HttpMethod.Put, "/files/a", packed.ToArray(), "Upload-Complete: ?1", "Content-Encoding: gzip")
            .AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Fact]
    public async Task A_coding_in_a_part_adds_no_bytes()
    {
        string url = await BeginAsync();
        await Server.PatchDraftAsync(url, 3, [1], "?0", "Content-Encoding: gzip").AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        await Server.PatchTusAsync(url, 3, [1], "Content-Encoding: gzip").AnswersAsync(HttpStatusCode.UnsupportedMediaType);
        using HttpResponseMessage head = await Server.DraftAsync(HttpMethod.Head, url);
        Assert.Equal("3", head.Field("Upload-Offset"));
    }

    [Fact]
    public async Task OPTIONS_of_a_file_has_the_limits()
    {
        using HttpResponseMessage response = await Server.DraftAsync(HttpMethod.Options, "/files/a");
        Assert.Equal("max-size=1000000", response.Field("Upload-Limit"));
        Assert.Null(response.Field("Accept-Patch"));
    }

    [Fact]
    public async Task Refusals_say_whether_they_are_about_the_file()
    {
        string url = await BeginAsync();
        await Server.WriteAsync("taken", new byte[] { 9 });
        foreach ((string complete, Task<HttpResponseMessage> sending) in (ValueTuple<string, Task<HttpResponseMessage>>[])
        [
            ("?0", Server.PatchDraftAsync(url, 7, [1], "?0")),
            ("?0", Server.PatchDraftAsync(url, 3, [1], "true")),
            ("?0", Server.DraftAsync(HttpMethod.Patch, url, [1], "Upload-Complete: ?0", "Upload-Offset: 3", "Upload-Length: 9")),
            ("?0", Server.DraftAsync(HttpMethod.Get, "/uploads/none")),
            ("?1", Server.DraftAsync(HttpMethod.Put, "/files/taken", [1], "Upload-Complete: ?0", "If-None-Match: *")),
            ("?1", Server.DraftAsync(HttpMethod.Put, "/files/a", null, "Upload-Complete: ?0", "Upload-Length: 1000001")),
        ])
        {
            using HttpResponseMessage refused = await sending;
            Assert.False(refused.IsSuccessStatusCode);
            Assert.Equal(complete, refused.Field("Upload-Complete"));
        }
    }

    [Fact]
    public async Task File_over_the_limit_is_refused_with_the_limit()
    {
        using HttpResponseMessage response = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", null, "Upload-Complete: ?0", "Upload-Length: 1000001");
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal("max-size=1000000", response.Field("Upload-Limit"));
    }

    /// <summary>An upload of five bytes with three of them.</summary>
    private async Task<string> BeginAsync()
    {
        using HttpResponseMessage created = await Server.DraftAsync(
            HttpMethod.Put, "/files/a", [1, 2, 3], "Upload-Complete: ?0", "Upload-Length: 5");
        return created.Headers.Location!.OriginalString;
    }
}

namespace Millrace.Transfer.Server.Tests.Uploads;

public sealed class TusChecksumTests : ServerTest
{
    [Theory, InlineData("sha256"), InlineData("sha1")]
    public async Task Wrong_checksum_discards_the_bytes(string algorithm)
    {
        byte[] content = Content.Of(100_000);
        string url = await Server.BeginAsync("a", content.Length);
        await Server.PatchTusAsync(
            url, 0, content[..60_000],
            $"Upload-Checksum: {Checksum(algorithm, content.AsSpan(0, 60_000))}")
            .AnswersAsync(HttpStatusCode.NoContent);

        using HttpResponseMessage wrong = await Server.PatchTusAsync(
            url, 60000, content[60_000..],
            $"Upload-Checksum: {Checksum(algorithm, content)}");
        Assert.Equal(460, (int)wrong.StatusCode);
        Assert.Equal("60000", wrong.Field("Upload-Offset"));
        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal("60000", head.Field("Upload-Offset"));

        await Server.PatchTusAsync(
            url, 60000, content[60_000..],
            $"Upload-Checksum: {Checksum(algorithm, content.AsSpan(60_000))}").AnswersAsync(HttpStatusCode.NoContent);
        Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory]
    [InlineData("md5 1B2M2Y8AsgTpgAmY7PhCfg==")]
    [InlineData("sha1 nonsense")]
    [InlineData("crc32 y/Q5Jg==")]
    [InlineData("")]
    public async Task Malformed_checksum_is_refused_with_400(string checksum)
    {
        string url = await Server.BeginAsync("a", 3);
        await Server.PatchTusAsync(url, 0, [1], $"Upload-Checksum: {checksum}").AnswersAsync(HttpStatusCode.BadRequest);
    }

    [Fact]
    public async Task A_wrong_checksum_at_creation_leaves_nothing()
    {
        using HttpResponseMessage response = await Server.TusAsync(
            HttpMethod.Post, "/uploads", [1, 2], "Upload-Length: 2", $"Upload-Metadata: filename {UploadServer.Base64("a")}",
            $"Upload-Checksum: {Checksum("sha1", [1, 3])}");
        Assert.Equal(460, (int)response.StatusCode);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory, InlineData("sha256", false), InlineData("sha1", false), InlineData("sha1", true)]
    public async Task Checksum_can_be_a_trailer(string algorithm, bool wrong)
    {
        byte[] content = Content.Of(1000);
        string url = await Server.BeginAsync("a", content.Length);
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address);
        await connection.SendAsync(
            $"PATCH {url} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
            + "Content-Type: application/offset+octet-stream\r\nTransfer-Encoding: chunked\r\nTrailer: Upload-Checksum\r\n\r\n3e8\r\n");
        await connection.SendAsync(content);
        string checksum = Checksum(algorithm, wrong ? content.AsSpan(1) : content);
        await connection.SendAsync($"\r\n0\r\nUpload-Checksum: {checksum}\r\n\r\n");
        Assert.StartsWith(wrong ? "HTTP/1.1 460" : "HTTP/1.1 204", await connection.ReadHeadAsync(), StringComparison.Ordinal);
        Assert.Equal(!wrong, File.Exists(Server.PathOf("a")));
    }

    [Fact]
    public async Task Bytes_without_their_announced_checksum_are_discarded()
    {
        string url = await Server.BeginAsync("a", 100);
        using (RawConnection connection = await RawConnection.OpenAsync(Server.Address))
        {
            await connection.SendAsync(Encoding.ASCII.GetBytes(
                $"PATCH {url} HTTP/1.1\r\nHost: x\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\nContent-Length: 100\r\n"
                + $"Content-Type: application/offset+octet-stream\r\nUpload-Checksum: {Checksum("sha256", new byte[100])}\r\n\r\n"));
            await connection.SendAsync(new byte[50]);
            using HttpResponseMessage during = await Server.TusAsync(HttpMethod.Head, url);
            Assert.Equal("0", during.Field("Upload-Offset"));
        }

        using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
        Assert.Equal("0", head.Field("Upload-Offset"));
    }

    [Theory]
    [InlineData("Upload-Checksum: sha1 {wrong}", "Upload-Checksum: sha1 {right}", 460)]
    [InlineData("Upload-Checksum: sha1 {right}", "Upload-Checksum: sha1 {wrong}", 460)]
    [InlineData("Upload-Checksum: sha256 {wrong}", "Upload-Checksum: sha1 {right}", 460)]
    [InlineData("Upload-Checksum: sha256 {right}", "Upload-Checksum: sha1 {right}", 204)]
    [InlineData("Content-Digest: {wrong}", "Content-Digest: {right}", 400)]
    [InlineData("Content-Digest: {wrong}", "Upload-Checksum: sha1 {right}", 400)]
    [InlineData("Repr-Digest: {wrong}", "Repr-Digest: {right}", 400)]
    [InlineData("Repr-Digest: {right}", "Repr-Digest: {wrong}", 400)]
    [InlineData("X: y", "Repr-Digest: {wrong}", 400)]
    [InlineData("X: y", "Repr-Digest: {right}", 204)]
    public async Task Header_and_trailer_are_both_compared(string header, string trailer, int status)
    {
        string url = await Server.BeginAsync("a", 5);
        string name = trailer[..trailer.IndexOf(':')];

        string answer = await PatchChunkedAsync(url, $"{Fill(header)}\r\nTrailer: {name}\r\n", $"{Fill(trailer)}\r\n");

        Assert.StartsWith($"HTTP/1.1 {status} ", answer, StringComparison.Ordinal);
        Assert.Equal(status == 204, File.Exists(Server.PathOf("a")));
    }

    [Theory]
    [InlineData(true, "Upload-Checksum", "")]
    [InlineData(true, "Content-Digest", "")]
    [InlineData(true, "Repr-Digest", "")]
    [InlineData(true, "upload-checksum ,\tRepr-Digest", "Repr-Digest: {right}\r\n")]
    [InlineData(false, "Content-Digest", "")]
    [InlineData(false, "Repr-Digest", "")]
    public async Task Announced_trailer_that_does_not_arrive_discards_the_bytes(bool tus, string announced, string trailer)
    {
        string url = await Server.BeginAsync("a", 5);
        foreach (string header in (string[])["", Fill("Content-Digest: {right}\r\n")])
        {
            string answer = await PatchChunkedAsync(url, $"{header}Trailer: {announced}\r\n", Fill(trailer), tus);

            Assert.StartsWith(tus ? "HTTP/1.1 460 " : "HTTP/1.1 400 ", answer, StringComparison.Ordinal);
            Assert.Contains("\r\nUpload-Offset: 0\r\n", answer, StringComparison.Ordinal);
            Assert.Contains("a proxy may have removed it", answer, StringComparison.Ordinal);
            using HttpResponseMessage head = await Server.TusAsync(HttpMethod.Head, url);
            Assert.Equal("0", head.Field("Upload-Offset"));
        }

        Assert.Empty(Server.VisibleFiles());
    }

    /// <summary>By the draft an empty request with the digest completes an upload; a proxy may gather its chunks.</summary>
    [Theory, InlineData("Content-Length: 0\r\n\r\n"), InlineData("Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n")]
    public async Task Announced_trailer_of_an_empty_request_has_to_arrive(string rest)
    {
        string url = "";
        using (HttpResponseMessage created = await Server.DraftAsync(HttpMethod.Put, "files/a", [1, 2], "Upload-Complete: ?0"))
        {
            url = created.Headers.Location!.OriginalString;
        }

        RawResponse answer = await RawConnection.ExchangeAsync(
            Server.Address,
            $"PATCH {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/partial-upload\r\nUpload-Offset: 2\r\n"
            + $"Upload-Complete: ?1\r\nTrailer: Repr-Digest\r\n{rest}");

        Assert.Equal(400, answer.Status);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory, InlineData("Content-Digest"), InlineData("Repr-Digest")]
    public async Task Empty_digest_is_refused(string field)
    {
        string url = await Server.BeginAsync("a", 1);
        await Server.PatchTusAsync(url, 0, [1], $"{field}: ").AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    private static string Fill(string text)
    {
        byte[] right = "hello"u8.ToArray();
        bool isField = text.Contains("Digest", StringComparison.Ordinal);
        string algorithm = text.Contains("sha1", StringComparison.Ordinal) ? "sha1" : "sha256";
        return text.Replace("{right}", Value(right)).Replace("{wrong}", Value("other"u8.ToArray()));

        string Value(byte[] content) => Checksum(algorithm, content)[(algorithm.Length + 1)..] is var value && isField ? $"sha-256=:{value}:" : value;
    }

    /// <summary>Sends five bytes in a chunk.</summary>
    private async Task<string> PatchChunkedAsync(string url, string fields, string trailers, bool tus = true)
    {
        fields += tus
            ? "Tus-Resumable: 1.0.0\r\nContent-Type: application/offset+octet-stream\r\n"
            : "Upload-Complete: ?1\r\nContent-Type: application/partial-upload\r\n";
        using RawConnection connection = await RawConnection.OpenAsync(
            Server.Address,
            $"PATCH {url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nUpload-Offset: 0\r\n{fields}Transfer-Encoding: chunked\r\n\r\n"
            + $"5\r\nhello\r\n0\r\n{trailers}\r\n");
        return await connection.ReadToEndAsync();
    }

    private static string Checksum(string algorithm, ReadOnlySpan<byte> content)
    {
#pragma warning disable CA5350 // The checksum that tus wants every server to have.
        byte[] value = algorithm == "sha256" ? SHA256.HashData(content) : SHA1.HashData(content);
#pragma warning restore CA5350
        return $"{algorithm} {Convert.ToBase64String(value)}";
    }
}

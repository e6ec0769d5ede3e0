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

    private static string Checksum(string algorithm, ReadOnlySpan<byte> content)
    {
#pragma warning disable CA5350 // The checksum that tus wants every server to have.
        byte[] value = algorithm == "sha256" ? SHA256.HashData(content) : SHA1.HashData(content);
#pragma warning restore CA5350
        return $"{algorithm} {Convert.ToBase64String(value)}";
    }
}

namespace Millrace.Transfer.Server.Tests.Files;

public sealed class UploadCodingTests : ServerTest
{
    private static readonly byte[] Bytes = Content.Text(300_000);

    protected override RunningServerOptions Options =>
        new() { Store = new LocalFileStoreOptions { MaxFileBytes = 64 * 1024 * 1024 } };

    [Theory]
    [InlineData("gzip")]
    [InlineData("x-gzip")]
    [InlineData("GZip")]
    [InlineData("br")]
    [InlineData("identity")]
    [InlineData("identity, gzip")]
    public async Task Compressed_body_is_stored_decompressed(string coding)
    {
        string real = coding.Split(", ")[^1].ToLowerInvariant();
        using HttpResponseMessage response = await PutAsync(coding, Coded.In(real, Bytes));
        Assert.Equal(HttpStatusCode.Created, response.StatusCode);
        Assert.Equal(DigestField.Format(Sha256Digest.Compute(Bytes)), response.Headers.GetValues("Repr-Digest").Single());
        Assert.Equal(Bytes, await File.ReadAllBytesAsync(Server.PathOf("a")));
    }

    [Theory]
    [InlineData("deflate")]
    [InlineData("zstd")]
    [InlineData("gzip, br")]
    [InlineData("gzip, gzip")]
    public async Task Unknown_coding_is_refused_with_the_supported_ones(string coding)
    {
        using HttpResponseMessage response = await PutAsync(coding, Bytes);
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, response.StatusCode);
        Assert.Equal("gzip, br", response.Headers.NonValidated["Accept-Encoding"].ToString());
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory, InlineData("gzip"), InlineData("br")]
    public async Task Body_that_contradicts_its_coding_is_refused(string coding)
    {
        using HttpResponseMessage response = await PutAsync(coding, Bytes);
        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("InvalidRequest", (await ProblemOf(response)).Error);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory]
    [InlineData("gzip", 1)]
    [InlineData("gzip", 8)]
    [InlineData("gzip", 9)]
    [InlineData("gzip", 5000)]
    [InlineData("br", 1)]
    [InlineData("br", 5000)]
    public async Task Truncated_compressed_body_is_refused(string coding, int missing)
    {
        await PutAsync(coding, Coded.In(coding, Bytes)[..^missing]).AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task A_compressed_body_without_a_byte_is_refused()
    {
        await PutAsync("gzip", []).AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory, InlineData("gzip"), InlineData("br")]
    public async Task Decompression_bomb_is_refused_and_nothing_is_stored(string coding)
    {
        byte[] bomb = Coded.In(coding, new byte[40_000_000]);
        Assert.InRange(bomb.Length, 1, 50_000);
        using HttpResponseMessage response = await PutAsync(coding, bomb);
        Assert.Equal(HttpStatusCode.RequestEntityTooLarge, response.StatusCode);
        Assert.Equal("TooLarge", (await ProblemOf(response)).Error);
        Assert.Empty(Server.VisibleFiles());
    }

    [Fact]
    public async Task Small_highly_compressed_body_is_accepted()
    {
        await PutAsync("br", Coded.Brotli(new byte[10_000_000])).AnswersAsync(HttpStatusCode.Created);
        Assert.Equal(10_000_000, new FileInfo(Server.PathOf("a")).Length);
    }

    private Task<HttpResponseMessage> PutAsync(string coding, byte[] content) =>
        SendAsync(HttpMethod.Put, "files/a", new ByteArrayContent(content), ("Content-Encoding", coding));
}

using System.IO.Compression;

namespace Millrace.Transfer.Server.Tests.Files;

public sealed class CodingTests : ServerTest
{
    private static readonly byte[] Text = Content.Text(300_000);

    protected override RunningServerOptions Options => new() { Server = new TransferServerOptions { ServePrecompressed = true } };

    [Theory]
    [InlineData("gzip", "gzip")]
    [InlineData("x-gzip", "gzip")]
    [InlineData("br", "br")]
    [InlineData("gzip, deflate, br, zstd", "br")]
    [InlineData("gzip;q=1.0, br;q=0.5", "gzip")]
    [InlineData("gzip;q=0.2, br;q=0.5", "br")]
    [InlineData("gzip;q=0, br;q=0", "")]
    [InlineData("gzip;q=0, *", "br")]
    [InlineData("*", "br")]
    [InlineData("*;q=0", "")]
    [InlineData("identity", "")]
    [InlineData("identity;q=1, gzip;q=0.5", "")]
    [InlineData("identity;q=0.1, gzip;q=0.5", "gzip")]
    [InlineData("deflate", "")]
    [InlineData(";;;", "")]
    public async Task Coding_is_chosen_by_the_clients_preference(string accepted, string expected)
    {
        await Server.WriteAsync("a.txt", Text);
        using HttpResponseMessage response = await GetAsync("files/a.txt", ("Accept-Encoding", accepted));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(expected, string.Join(',', response.Content.Headers.ContentEncoding));
        Assert.Equal("Accept-Encoding", response.Headers.Vary.Single());
        byte[] body = await response.Content.ReadAsByteArrayAsync();
        Assert.Equal(Text, Decode(body, expected));
        Assert.True(expected.Length == 0 || body.Length < Text.Length / 2);
    }

    [Fact]
    public async Task Coded_bytes_have_a_weak_tag_no_length_no_ranges_and_no_digest()
    {
        await Server.WriteAsync("a.txt", Text);
        using HttpResponseMessage plain = await GetAsync("files/a.txt");
        using HttpResponseMessage coded = await GetAsync("files/a.txt", ("Accept-Encoding", "gzip"));
        Assert.Equal($"W/{plain.Headers.ETag}", coded.Headers.ETag?.ToString());
        Assert.True(coded.Headers.TransferEncodingChunked);
        Assert.Empty(coded.Headers.AcceptRanges);
        Assert.False(coded.Headers.Contains("Repr-Digest"));
        using HttpResponseMessage again = await GetAsync(
            "files/a.txt", ("Accept-Encoding", "gzip"), ("If-None-Match", coded.Headers.ETag!.ToString()));
        Assert.Equal(HttpStatusCode.NotModified, again.StatusCode);
        Assert.Equal(coded.Headers.ETag, again.Headers.ETag);
        Assert.Empty(again.Content.Headers.ContentEncoding);
    }

    [Fact]
    public async Task A_part_is_never_coded()
    {
        await Server.WriteAsync("a.txt", Text);
        using HttpResponseMessage coded = await GetAsync("files/a.txt", ("Accept-Encoding", "gzip"));
        using HttpResponseMessage part = await GetAsync("files/a.txt", ("Accept-Encoding", "gzip"), ("Range", "bytes=0-9"));
        Assert.Equal(HttpStatusCode.PartialContent, part.StatusCode);
        Assert.Empty(part.Content.Headers.ContentEncoding);
        using HttpResponseMessage whole = await GetAsync(
            "files/a.txt", ("Range", "bytes=0-9"), ("If-Range", coded.Headers.ETag!.ToString()));
        Assert.Equal(HttpStatusCode.OK, whole.StatusCode);
        Assert.Equal(Text, await whole.Content.ReadAsByteArrayAsync());
    }

    [Theory, InlineData("small.txt", 1023), InlineData("image.png", 5000)]
    public async Task Incompressible_file_is_sent_uncompressed(string name, int length)
    {
        await Server.WriteAsync(name, Content.Text(length));
        using HttpResponseMessage response = await GetAsync($"files/{name}", ("Accept-Encoding", "gzip, br"));
        Assert.Empty(response.Content.Headers.ContentEncoding);
        Assert.Equal(length, response.Content.Headers.ContentLength);
    }

    [Fact]
    public async Task Precompressed_file_is_sent_as_stored()
    {
        await Server.WriteAsync("image.bin", Text);
        byte[] stored = [1, 2, 3, 4];
        await Server.WriteAsync("image.bin.gz", stored);
        using HttpResponseMessage response = await GetAsync("files/image.bin", ("Accept-Encoding", "br, gzip"));
        Assert.Equal("gzip", response.Content.Headers.ContentEncoding.Single());
        Assert.Equal(4, response.Content.Headers.ContentLength);
        Assert.Equal(stored, await response.Content.ReadAsByteArrayAsync());
        Assert.True(response.Headers.ETag?.IsWeak);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Outdated_precompressed_file_is_not_sent()
    {
        await Server.WriteAsync("image.bin", Text);
        string path = await Server.WriteAsync("image.bin.gz", new byte[4]);
        File.SetLastWriteTimeUtc(path, DateTime.UtcNow.AddDays(-1));
        using HttpResponseMessage response = await GetAsync("files/image.bin", ("Accept-Encoding", "gzip"));
        Assert.Empty(response.Content.Headers.ContentEncoding);
        Assert.Equal(Text, await response.Content.ReadAsByteArrayAsync());
    }

    [Theory, InlineData("gzip"), InlineData("br")]
    public async Task HEAD_has_the_coding_of_GET(string coding)
    {
        await Server.WriteAsync("a.txt", Text);
        using HttpResponseMessage head = await SendAsync(
            HttpMethod.Head, "files/a.txt", null, ("Accept-Encoding", coding));
        Assert.Equal(coding, head.Content.Headers.ContentEncoding.Single());
        Assert.Null(head.Content.Headers.ContentLength);
    }

    private static byte[] Decode(byte[] body, string coding)
    {
        using var source = new MemoryStream(body);
        using Stream decoded = coding switch
        {
            "gzip" => new GZipStream(source, CompressionMode.Decompress),
            "br" => new BrotliStream(source, CompressionMode.Decompress),
            _ => source,
        };
        using var all = new MemoryStream();
        decoded.CopyTo(all);
        return all.ToArray();
    }
}

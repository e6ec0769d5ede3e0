using System.IO.Compression;

namespace Millrace.Transfer.Server.Tests.Files;

public sealed class UploadDigestTests : ServerTest
{
    private static readonly byte[] Bytes = Content.Text(100_000);

    [Theory]
    [InlineData("Content-Digest", "{right}", 201)]
    [InlineData("Repr-Digest", "{right}", 201)]
    [InlineData("Repr-Digest", "sha-512=:AAAA:, {right}", 201)]
    [InlineData("Repr-Digest", "sha-512=:AAAA:", 201)]
    [InlineData("Content-Digest", "{wrong}", 400)]
    [InlineData("Repr-Digest", "{wrong}", 400)]
    [InlineData("Content-Digest", "sha-256=:AAAA:", 400)]
    [InlineData("Content-Digest", "sha-256", 400)]
    [InlineData("Repr-Digest", "sha-256=abc", 400)]
    [InlineData("Repr-Digest", ",", 400)]
    public async Task File_with_a_wrong_digest_is_not_published(string field, string value, int status)
    {
        value = Fill(value, Bytes);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Put, "files/a", new ByteArrayContent(Bytes), (field, value));
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(status == 201 ? ["a"] : [], Server.VisibleFiles());
    }

    [Fact]
    public async Task Contradicting_digests_are_refused()
    {
        await SendAsync(
            HttpMethod.Put, "files/a", new ByteArrayContent(Bytes),
            ("Content-Digest", Fill("{right}", Bytes)), ("Repr-Digest", Fill("{wrong}", Bytes)))
            .AnswersAsync(HttpStatusCode.BadRequest);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory]
    [InlineData("{right}", "{right}", 201)]
    [InlineData("{wrong}", "{right}", 400)]
    [InlineData("{right}", "{wrong}", 400)]
    public async Task Content_Digest_covers_the_body_and_Repr_Digest_the_file(
        string protocol, string file, int status)
    {
        byte[] coded = Coded.Gzip(Bytes);
        using HttpResponseMessage response = await SendAsync(
            HttpMethod.Put, "files/a", new ByteArrayContent(coded), ("Content-Encoding", "gzip"),
            ("Content-Digest", Fill(protocol, coded)), ("Repr-Digest", Fill(file, Bytes)));
        Assert.Equal(status, (int)response.StatusCode);
        Assert.Equal(status == 201 ? ["a"] : [], Server.VisibleFiles());
    }

    [Theory, InlineData("{right}", 201), InlineData("{wrong}", 400), InlineData("sha-256", 400)]
    public async Task Digest_can_be_a_trailer(string value, int status)
    {
        RawResponse response = await RawConnection.ExchangeAsync(
            Server.Address,
            "PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: Repr-Digest\r\n\r\n"
            + $"5\r\nabcde\r\n0\r\nRepr-Digest: {Fill(value, "abcde"u8.ToArray())}\r\n\r\n");
        Assert.Equal(status, response.Status);
        Assert.Equal(status == 201 ? ["a"] : [], Server.VisibleFiles());
    }

    [Theory]
    [InlineData("Content-Digest: {wrong}", "Content-Digest: {right}")]
    [InlineData("Content-Digest: {right}", "Content-Digest: {wrong}")]
    [InlineData("Repr-Digest: {wrong}", "Repr-Digest: {right}")]
    [InlineData("Content-Digest: {wrong}", "Repr-Digest: {right}")]
    [InlineData("Repr-Digest: {wrong}", "Content-Digest: {right}")]
    public async Task Wrong_digest_is_not_replaced_by_a_right_one_in_the_trailer(string header, string trailer)
    {
        byte[] content = "abcde"u8.ToArray();
        RawResponse response = await PutChunkedAsync($"{Fill(header, content)}\r\n", "5\r\nabcde", Fill(trailer, content));
        Assert.Equal(400, response.Status);
        Assert.Contains("DigestMismatch", response.Body, StringComparison.Ordinal);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory]
    [InlineData("Content-Digest", "")]
    [InlineData("Repr-Digest", "")]
    [InlineData("X, repr-digest", "")]
    [InlineData("Repr-Digest", "Content-Digest: {right}")]
    [InlineData("Content-Digest,Repr-Digest", "Repr-Digest: {right}")]
    public async Task Announced_digest_that_does_not_arrive_publishes_nothing(string announced, string trailer)
    {
        byte[] content = "abcde"u8.ToArray();
        foreach (string header in (string[])["", $"Content-Digest: {Fill("{right}", content)}\r\n"])
        {
            RawResponse response = await PutChunkedAsync($"{header}Trailer: {announced}\r\n", "5\r\nabcde", Fill(trailer, content));
            Assert.Equal(400, response.Status);
            Assert.Contains("a proxy may have removed it", response.Body, StringComparison.Ordinal);
            Assert.Empty(Server.VisibleFiles());
        }
    }

    /// <summary>Chunks as a proxy joins them.</summary>
    [Theory, InlineData(""), InlineData("abcde")]
    public async Task Announced_digest_does_not_arrive_with_a_body_of_known_length(string content)
    {
        RawResponse response = await RawConnection.ExchangeAsync(
            Server.Address,
            $"PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {content.Length}\r\nTrailer: Repr-Digest\r\n\r\n{content}");
        Assert.Equal(400, response.Status);
        Assert.Empty(Server.VisibleFiles());
    }

    [Theory]
    [InlineData("Trailer: Content-Digest\r\n", "{right}", 201)]
    [InlineData("Trailer: Content-Digest\r\n", "{wrong}", 400)]
    [InlineData("Content-Digest: {right}\r\nTrailer: Content-Digest\r\n", "{wrong}", 400)]
    [InlineData("Content-Digest: {wrong}\r\nTrailer: Content-Digest\r\n", "{right}", 400)]
    [InlineData("Trailer: Content-Digest\r\n", null, 400)]
    [InlineData("", "{right}", 400)]
    public async Task Digest_of_a_compressed_body_can_be_a_trailer(string fields, string? digest, int status)
    {
        byte[] coded = Coded.Gzip(Bytes);
        string trailer = digest is null ? "" : $"Content-Digest: {Fill(digest, coded)}";
        RawResponse response = await PutChunkedAsync(
            $"{Fill(fields, coded)}Content-Encoding: gzip\r\n", $"{coded.Length:x}\r\n{Encoding.Latin1.GetString(coded)}", trailer);
        Assert.Equal(status, response.Status);
        Assert.Equal(status == 201 ? ["a"] : [], Server.VisibleFiles());
    }

    private Task<RawResponse> PutChunkedAsync(string fields, string chunk, string trailer) => RawConnection.ExchangeAsync(
        Server.Address,
        $"PUT /files/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n{fields}\r\n{chunk}\r\n0\r\n"
        + (trailer.Length == 0 ? "\r\n" : $"{trailer}\r\n\r\n"));

    private static string Fill(string value, byte[] content) => value
        .Replace("{right}", DigestField.Format(Sha256Digest.Compute(content)))
        .Replace("{wrong}", DigestField.Format(Sha256Digest.Compute("another file"u8)));
}

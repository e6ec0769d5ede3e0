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

    private static string Fill(string value, byte[] content) => value
        .Replace("{right}", DigestField.Format(Sha256Digest.Compute(content)))
        .Replace("{wrong}", DigestField.Format(Sha256Digest.Compute("another file"u8)));
}

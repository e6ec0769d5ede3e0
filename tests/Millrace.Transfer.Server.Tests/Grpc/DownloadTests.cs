using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class DownloadTests : GrpcTest
{
    [Theory, EveryForm]
    public async Task File_is_sent_unchanged(string form)
    {
        byte[] content = Content.Of(3_000_001);
        Put("a", content);
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("a"));
        Assert.Equal(content, reply.Content());
    }

    [Theory, EveryForm]
    public async Task An_empty_file_has_no_chunk(string form)
    {
        Put("a", []);
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("a"));
        Assert.Equal(2, reply.Messages.Count);
        Assert.Empty(reply.Content());
    }

    [Theory, EveryForm]
    public async Task A_compressed_call_is_answered_compressed(string form)
    {
        byte[] content = Content.Text(1_000_003);
        Put("a", content);
        GrpcReply reply = await CallAsync(
            form, "Download", Frames.Download("a"), ("grpc-encoding", "gzip"), ("grpc-accept-encoding", "identity, gzip"));
        Assert.Equal("gzip", reply.Headers["grpc-encoding"]);
        Assert.Equal(reply.Messages.Count - 2, reply.Compressed);
        Assert.Equal(content, reply.Content());
    }

    [Fact]
    public async Task Incompressible_message_is_sent_uncompressed()
    {
        byte[] content = Content.Of(700_000);
        Put("a", content);
        GrpcReply reply = await CallAsync(
            "Download", Frames.Download("a"), ("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip"));
        Assert.Equal(0, reply.Compressed);
        Assert.Equal(content, reply.Content());
    }

    [Theory]
    [InlineData("gzip", "identity", true)]
    [InlineData("gzip", "", true)]
    [InlineData("identity", "gzip", true)]
    [InlineData("gzip", "gzip", false)]
    public async Task Compression_needs_both_sides(string encoding, string accepted, bool offers)
    {
        await ServeAsync(grpc => grpc.Compress = offers);
        byte[] content = Content.Text(100_000);
        Put("a", content);
        GrpcReply reply = await CallAsync(
            "Download", Frames.Download("a"), ("grpc-encoding", encoding), ("grpc-accept-encoding", accepted));
        Assert.False(reply.Headers.ContainsKey("grpc-encoding"));
        Assert.Equal(0, reply.Compressed);
        Assert.Equal(content, reply.Content());
    }

    [Theory]
    [InlineData("grpc", 1)]
    [InlineData("grpc", 1000)]
    [InlineData("grpc", 4096)]
    [InlineData("grpc-web", 4096)]
    [InlineData("grpc-web", 100_000)]
    [InlineData("grpc-web-text", 1000)]
    [InlineData("grpc-web-text", 65_537)]
    public Task Chunks_have_the_requested_size(string form, int bytes) => DownloadInChunksAsync(form, bytes);

    /// <summary>Without Linux's own calls, a chunk and its header share a block of that size.</summary>
    [NeedsFact(Need.Native)]
    [NeedsLocalFolder]
    public Task Chunks_have_the_size_of_a_block_when_requested() => DownloadInChunksAsync("grpc", 65_536);

    [Theory]
    [InlineData(0L, 10L)]
    [InlineData(5L, 0L)]
    [InlineData(999_990L, 1_000_000L)]
    [InlineData(1_000_000L, 1L)]
    [InlineData(300_000L, null)]
    public async Task Requested_range_is_sent(long offset, long? count)
    {
        byte[] content = Content.Of(1_000_000);
        Put("a", content);
        var request = new DownloadRequest { Name = "a", Offset = offset };
        if (count is { } bytes)
        {
            request.Count = bytes;
        }

        GrpcReply reply = await CallAsync("Download", request);
        long end = Math.Min(content.Length, offset + (count ?? content.Length));
        Assert.Equal(content[(int)offset..(int)end], reply.Content());
        FileVersion info = Chunk.Parser.ParseFrom(reply.Messages[0]).File;
        Assert.Equal((offset, end - offset, content.Length), (info.Offset, info.Count, info.Length));
    }

    [Fact]
    public async Task Range_after_the_end_is_OUT_OF_RANGE()
    {
        Put("a", Content.Of(10));
        GrpcReply reply = await CallAsync("Download", new DownloadRequest { Name = "a", Offset = 11 });
        reply.Failed(11, TransferError.RangeNotSatisfiable);
        Assert.True(reply.IsTrailersOnly);
        Assert.Equal("10", reply.Trailers["millrace-offset"]);
    }

    [Theory, InlineData(-1L, 0L, 0), InlineData(0L, -1L, 0), InlineData(0L, 0L, -1)]
    public async Task Negative_numbers_are_refused(long offset, long count, int chunk)
    {
        Put("a", Content.Of(10));
        var request = new DownloadRequest { Name = "a", Offset = offset, Count = count, ChunkBytes = chunk };
        (await CallAsync("Download", request)).Failed(3, TransferError.InvalidRequest);
    }

    [Fact]
    public async Task A_part_of_another_version_is_the_whole_file()
    {
        byte[] content = Content.Of(1000);
        Put("a", content);
        string tag = (await CallAsync("Stat", new StatRequest { Name = "a" })).Only(FileVersion.Parser).Tag;
        var request = new DownloadRequest { Name = "a", Offset = 100, Count = 50, IfTag = tag };
        Assert.Equal(content[100..150], (await CallAsync("Download", request)).Content());
        request.IfTag = "another";
        Assert.Equal(content, (await CallAsync("Download", request)).Content());
    }

    [Fact]
    public async Task Cheap_digest_is_sent_first()
    {
        byte[] content = Content.Of(1_000_000);
        Put("a", content);
        GrpcReply reply = await CallAsync("Download", new DownloadRequest { Name = "a", WantSha256 = true });
        Assert.Equal(SHA256.HashData(content), Chunk.Parser.ParseFrom(reply.Messages[0]).File.Sha256.ToByteArray());
    }

    [Theory, EveryForm]
    public async Task Digest_of_a_large_file_is_sent_last_or_not_at_all(string form)
    {
        await ServeAsync(host: static host => host.Store.CheapDigestBytes = 0);
        byte[] content = Content.Of(1_000_000);
        Put("a", content);
        byte[] request = Frames.Of(new DownloadRequest { Name = "a", WantSha256 = true });
        byte[]? digest = null;
        await Bounded.UntilAsync(async () =>
        {
            GrpcReply reply = await CallAsync(form, "Download", request);
            Assert.Equal(content, reply.Content());
            FileVersion info = Chunk.Parser.ParseFrom(reply.Messages[0]).File;
            End end = Chunk.Parser.ParseFrom(reply.Messages[^1]).End;
            Assert.False(info.HasSha256 && end.HasSha256);
            digest = info.HasSha256 ? info.Sha256.ToByteArray() : end.HasSha256 ? end.Sha256.ToByteArray() : null;
            return digest is not null;
        });
        Assert.Equal(SHA256.HashData(content), digest);
    }

    [Theory, EveryForm]
    [NeedsLocalFolder]
    public async Task A_file_that_changes_while_it_is_sent_is_never_whole(string form)
    {
        byte[] content = Content.Of(64_000_000);
        Put("a", content);
        using HttpRequestMessage request = Request(FormOf(form), "Download", Frames.Download("a"));
        using HttpResponseMessage response = await Http2.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);

        // More than any buffer between holds was not read yet.
        await using (FileStream file = new(PathOf("a"), FileMode.Open, FileAccess.Write, FileShare.ReadWrite))
        {
            file.SetLength(20_000_000);
        }

        if (form == "grpc")
        {
            GrpcReply reply = await GrpcReply.ReadAsync(response, GrpcForm.Http2);
            reply.Failed(10, TransferError.Changed);
            Assert.DoesNotContain(reply.Messages, static message => Frames.Fields(message)[0].Number == 4);
        }
        else
        {
            // The connection ends before the announced length.
            await Assert.ThrowsAnyAsync<HttpRequestException>(() => response.Content.ReadAsByteArrayAsync());
        }
    }

    [Theory, EveryForm]
    public async Task Missing_file_is_reported_in_headers(string form)
    {
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("ä b"));
        reply.Failed(5, TransferError.NotFound);
        Assert.True(reply.IsTrailersOnly);
        Assert.Contains("'ä b'", reply.Message, StringComparison.Ordinal);
        Assert.Contains("%C3%A4 b", reply.Trailers["grpc-message"], StringComparison.Ordinal);
    }

    [Theory, InlineData(""), InlineData("../a"), InlineData("/a"), InlineData(".millrace/a")]
    public async Task Invalid_names_are_refused(string name) =>
        (await CallAsync("Download", Frames.Download(name))).Failed(3, TransferError.InvalidName);

    [Theory, InlineData("grpc-web"), InlineData("grpc-web-text")]
    public async Task GRPC_Web_is_spoken_over_HTTP_2_too(string form)
    {
        byte[] content = Content.Of(1_000_001);
        Put("a", content);
        HttpRequestMessage request = Request(FormOf(form), "Download", Frames.Download("a"));
        request.Version = HttpVersion.Version20;
        request.RequestUri = new Uri(Server.Server.Http2Address!, request.RequestUri!.AbsolutePath);
        Assert.Equal(content, (await SendAsync(FormOf(form), request)).Content());
    }

    [Theory, InlineData("grpc-web"), InlineData("grpc-web-text")]
    public async Task The_length_of_a_download_by_gRPC_Web_is_known(string form)
    {
        Put("a", Content.Of(1_000_001));
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("a"));
        Assert.True(reply.Headers.ContainsKey("Content-Length"));
        Assert.Equal(1_000_001, reply.Content().Length);
    }

    private async Task DownloadInChunksAsync(string form, int bytes)
    {
        byte[] content = Content.Of(bytes == 1 ? 2000 : 1_000_001);
        Put("a", content);
        GrpcReply reply = await CallAsync(form, "Download", Frames.Of(new DownloadRequest { Name = "a", ChunkBytes = bytes }));
        Assert.Equal(content, reply.Content());
        Assert.All(reply.Messages.Skip(1).SkipLast(2), chunk => Assert.Equal(bytes, Frames.Fields(chunk)[0].Bytes.Length));
    }
}

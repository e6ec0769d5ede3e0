using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class ResumableTests : GrpcTest
{
    private static readonly byte[] Whole = Content.Of(1_000_000);

    [Theory, EveryForm]
    public async Task An_upload_is_made_of_streams_and_parts_and_published(string form)
    {
        string id = await BeginAsync(Whole.Length);
        byte[] first = Frames.Join(Frames.Head(id, 0), Frames.Data(Whole[..300_000], 65_536), Frames.End(300_000));
        Assert.Equal(300_000, (await CallAsync(form, "Upload", first)).Only(Messages.UploadStatus.Parser).Offset);
        GrpcReply part = await CallAsync(form, "UploadPart", Part(id, 300_000, Whole.AsSpan(300_000)));
        Assert.Equal(Whole.Length, part.Only(Messages.UploadStatus.Parser).Offset);
        Assert.False(File.Exists(PathOf("a")));

        Messages.UploadStatus status = (await CommitAsync(id, SHA256.HashData(Whole))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(Whole.Length, status.File.Length);
        Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Fact]
    public async Task Stream_with_commit_publishes_at_its_end()
    {
        string id = await BeginAsync(null);
        byte[] body = Frames.Join(
            Frames.Head(id, 0, commit: true), Frames.Data(Whole), Frames.End(Whole.Length, SHA256.HashData(Whole)));
        Messages.UploadStatus status = (await CallAsync("Upload", body)).Only(Messages.UploadStatus.Parser);
        Assert.Equal(Whole.Length, status.File.Length);
        Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Fact]
    public async Task Repeated_commit_returns_the_same_file()
    {
        string id = await BeginAsync(0);
        Messages.UploadStatus first = (await CommitAsync(id)).Only(Messages.UploadStatus.Parser);
        Messages.UploadStatus second = (await CommitAsync(id)).Only(Messages.UploadStatus.Parser);
        Assert.Equal(first.File.Tag, second.File.Tag);
        (await CommitAsync(id, new byte[32])).Failed(15, TransferError.DigestMismatch);
        (await CallAsync("UploadPart", Part(id, 0, Whole))).Failed(9, TransferError.UploadComplete);
    }

    [Fact]
    public async Task Incomplete_upload_is_not_published()
    {
        string id = await BeginAsync(Whole.Length);
        (await CallAsync("UploadPart", Part(id, 0, Whole.AsSpan(0, 10)))).Only(Messages.UploadStatus.Parser);
        GrpcReply reply = await CommitAsync(id);
        reply.Failed(10, TransferError.OffsetMismatch);
        Assert.Equal("10", reply.Trailers["millrace-offset"]);
        Assert.Equal("10", reply.DetailOf<Google.Rpc.ErrorInfo>()?.Metadata["offset"]);
    }

    [Fact]
    public async Task Wrong_digest_of_the_whole_publishes_nothing()
    {
        string id = await BeginAsync(10);
        (await CallAsync("UploadPart", Part(id, 0, Whole.AsSpan(0, 10)))).Only(Messages.UploadStatus.Parser);
        (await CommitAsync(id, new byte[32])).Failed(15, TransferError.DigestMismatch);
        Assert.False(File.Exists(PathOf("a")));
    }

    [Fact]
    public async Task Offset_mismatch_of_a_stream_is_refused_with_the_current_offset()
    {
        string id = await BeginAsync(Whole.Length);
        byte[] body = Frames.Join(Frames.Head(id, 5), Frames.Data(Whole), Frames.End(Whole.Length));
        GrpcReply reply = await CallAsync("Upload", body);
        reply.Failed(10, TransferError.OffsetMismatch);
        Assert.Equal("0", reply.Trailers["millrace-offset"]);
    }

    [Fact]
    public async Task A_compressed_part_with_its_digest_is_kept()
    {
        byte[] content = Content.Text(500_000);
        string id = await BeginAsync(content.Length);
        byte[] message = PartMessage(id, 0, content, SHA256.HashData(content));
        GrpcReply reply = await CallAsync("UploadPart", UploadTests.Packed(message), ("grpc-encoding", "gzip"));
        Assert.Equal(content.Length, reply.Only(Messages.UploadStatus.Parser).Offset);
        (await CommitAsync(id, SHA256.HashData(content))).Only(Messages.UploadStatus.Parser);
    }

    [Fact]
    public async Task Part_with_data_before_its_other_fields_is_refused()
    {
        string id = await BeginAsync(null);
        byte[] upload = Frames.Field(1, Encoding.ASCII.GetBytes(id));
        byte[] first = Frames.Of(Frames.Join(Frames.Field(15, Whole), upload));
        byte[] between = Frames.Of(Frames.Join(upload, Frames.Field(15, Whole), Frames.Number(2, 5)));
        (await CallAsync("UploadPart", first)).Failed(3, TransferError.InvalidRequest);
        (await CallAsync("UploadPart", between)).Failed(3, TransferError.InvalidRequest);
    }

    [Fact]
    public async Task Unknown_fields_after_the_data_of_a_part_are_accepted()
    {
        string id = await BeginAsync(null);
        byte[] message = Frames.Join(
            Frames.Field(1, Encoding.ASCII.GetBytes(id)), Frames.Field(15, Whole), Frames.Number(99, 1));
        GrpcReply reply = await CallAsync("UploadPart", Frames.Of(message));
        Assert.Equal(Whole.Length, reply.Only(Messages.UploadStatus.Parser).Offset);
    }

    [Fact]
    public async Task Stream_over_the_announced_length_is_too_large()
    {
        string id = await BeginAsync(10);
        byte[] body = Frames.Join(Frames.Head(id, 0), Frames.Data(Whole.AsSpan(0, 11)), Frames.End(11));
        (await CallAsync("Upload", body)).Failed(8, TransferError.TooLarge);
    }

    [Fact]
    public async Task Stream_without_end_keeps_its_bytes()
    {
        string id = await BeginAsync(Whole.Length);
        (await CallAsync("Upload", Frames.Join(Frames.Head(id, 0), Frames.Data(Whole.AsSpan(0, 100_000))))).Failed(1);
        Assert.Equal(100_000, (await QueryAsync(id)).Offset);
    }

    [Fact]
    public async Task Bytes_before_an_invalid_frame_are_kept()
    {
        string id = await BeginAsync(Whole.Length);
        byte[] body = Frames.Join(Frames.Head(id, 0), Frames.Data(Whole.AsSpan(0, 100_000)), [9, 9, 9, 9, 9, 9]);
        (await CallAsync("Upload", body)).Failed(8);
        Assert.Equal(100_000, (await QueryAsync(id)).Offset);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task Query_stops_a_call_that_still_sends()
    {
        byte[] whole = Content.Of(4_000_000);
        string id = await BeginAsync(whole.Length);
        var asked = new TaskCompletionSource();
        using var content = new StreamedContent(Frames.Join(Frames.Head(id, 0), Frames.Data(whole.AsSpan(0, 3_000_000))), asked.Task);
        Task<GrpcReply> old = SendAsync(GrpcForm.Http2, Request(GrpcForm.Http2, "Upload", content));

        // The end of it may be in the writer's memory, where small pieces are gathered, until the call ends.
        await Bounded.UntilAsync(() => ReceivedBytesOf(id) >= 2_000_000);
        int there = (int)(await QueryAsync(id)).Offset;
        Assert.InRange(there, 2_000_000, 3_000_000);
        GrpcReply reply = await old.Soon();
        reply.Failed(10, TransferError.Superseded);
        asked.SetResult();
        (await CallAsync("UploadPart", Part(id, there, whole.AsSpan(there)))).Only(Messages.UploadStatus.Parser);
        (await CommitAsync(id, SHA256.HashData(whole))).Only(Messages.UploadStatus.Parser);
    }

    [Fact]
    public async Task Deferred_length_must_fit_the_bytes()
    {
        string id = await BeginAsync(null);
        (await CallAsync("UploadPart", Part(id, 0, Whole.AsSpan(0, 10)))).Only(Messages.UploadStatus.Parser);
        var request = new CommitUploadRequest { Upload = id, Length = 9 };
        (await CallAsync("CommitUpload", request)).Failed(3, TransferError.InvalidRequest);
        request.Length = 10;
        Assert.Equal(10, (await CallAsync("CommitUpload", request)).Only(Messages.UploadStatus.Parser).File.Length);
    }

    [Fact]
    public async Task Digest_given_at_the_start_is_compared()
    {
        var request = new StartUploadRequest { Name = "a", Length = 1, Sha256 = ByteString.CopyFrom(new byte[32]) };
        string id = (await CallAsync("StartUpload", request)).Only(Messages.UploadStatus.Parser).Upload;
        (await CallAsync("UploadPart", Part(id, 0, "x"u8))).Only(Messages.UploadStatus.Parser);
        (await CommitAsync(id)).Failed(15, TransferError.DigestMismatch);
        Assert.False(File.Exists(PathOf("a")));
    }

    internal static byte[] Part(string id, long offset, ReadOnlySpan<byte> data, byte[]? sha256 = null) =>
        Frames.Of(PartMessage(id, offset, data, sha256));

    private static byte[] PartMessage(string id, long offset, ReadOnlySpan<byte> data, byte[]? sha256) => Frames.Join(
        Frames.Field(1, Encoding.ASCII.GetBytes(id)),
        offset == 0 ? [] : Frames.Number(2, (ulong)offset),
        sha256 is null ? [] : Frames.Field(3, sha256),
        Frames.Field(15, data));

    private async Task<string> BeginAsync(long? length)
    {
        var request = new StartUploadRequest { Name = "a" };
        if (length is { } bytes)
        {
            request.Length = bytes;
        }

        Messages.UploadStatus status = (await CallAsync("StartUpload", request)).Only(Messages.UploadStatus.Parser);
        Assert.Equal(0, status.Offset);
        Assert.True(status.Expires.ToDateTime() > DateTime.UtcNow);
        return status.Upload;
    }

    private Task<GrpcReply> CommitAsync(string id, byte[]? sha256 = null)
    {
        var request = new CommitUploadRequest { Upload = id };
        if (sha256 is not null)
        {
            request.Sha256 = ByteString.CopyFrom(sha256);
        }

        return CallAsync("CommitUpload", request);
    }

    private async Task<Messages.UploadStatus> QueryAsync(string id) =>
        (await CallAsync("QueryUpload", new QueryUploadRequest { Upload = id })).Only(Messages.UploadStatus.Parser);
}

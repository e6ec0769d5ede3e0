using Google.Protobuf;
using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class UploadTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(1000);

    [Theory, EveryForm]
    public async Task File_is_stored_as_sent(string form)
    {
        byte[] content = Content.Of(3_000_001);
        GrpcReply reply = await CallAsync(form, "Upload", Frames.Upload("a", content));
        Messages.UploadStatus status = reply.Only(Messages.UploadStatus.Parser);
        Assert.Equal(content.Length, status.File.Length);
        Assert.Equal(SHA256.HashData(content), status.File.Sha256.ToByteArray());
        Assert.Equal(content, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Theory, EveryForm]
    public async Task Chunks_of_any_size_are_stored(string form)
    {
        byte[] content = Content.Of(200_000);
        foreach (int chunk in (int[])[1, 127, 1000, 9_999, 65_536, 200_000])
        {
            byte[] part = content[..Math.Min(content.Length, chunk * 2000)];
            (await CallAsync(form, "Upload", Frames.Upload("a", part, chunk))).Only(Messages.UploadStatus.Parser);
            Assert.Equal(part, await File.ReadAllBytesAsync(PathOf("a")));
        }
    }

    [Theory, EveryForm]
    public async Task Compressed_chunks_are_stored(string form)
    {
        byte[] content = Content.Text(1_000_000);
        byte[] body = Frames.Join(
            Frames.Head("a"),
            Packed(Frames.Field(1, content.AsSpan(0, 300_000))),
            Frames.Data(content.AsSpan(300_000, 100_000)),
            Packed(Frames.Field(1, content.AsSpan(400_000))),
            Packed(Frames.Field(4, Frames.Number(1, (ulong)content.Length))));
        (await CallAsync(form, "Upload", body, ("grpc-encoding", "gzip"))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(content, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Theory, EveryForm]
    public async Task Empty_file_is_stored(string form)
    {
        (await CallAsync(form, "Upload", Frames.Upload("a", []))).Only(Messages.UploadStatus.Parser);
        Assert.Empty(await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Theory, EveryForm]
    public async Task Bytes_sent_one_by_one_are_stored(string form)
    {
        byte[] body = Encoded(FormOf(form), Frames.Upload("a", Small, 300));
        using var content = new StreamedContent(async stream =>
        {
            foreach (byte value in body)
            {
                await stream.WriteAsync(new[] { value });
                await stream.FlushAsync();
            }
        });
        (await SendAsync(FormOf(form), Request(FormOf(form), "Upload", content))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Fact]
    public async Task Unknown_fields_are_skipped()
    {
        byte[] unknown = Frames.Join(Frames.Field(99, [1, 2, 3]), Frames.Number(98, 7));
        byte[] body = Frames.Join(
            Frames.Of(Frames.Join(unknown, Frames.Field(3, Frames.Join(unknown, Frames.Field(1, "a"u8))))),
            Frames.Of(Frames.Join(unknown, Frames.Field(1, Small), unknown)),
            Frames.Of(unknown),
            Frames.Of([]),
            Frames.Of(Frames.Field(4, Frames.Join(Frames.Number(1, 1000), unknown))));
        (await CallAsync("Upload", body)).Only(Messages.UploadStatus.Parser);
        Assert.Equal(Small, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Fact]
    public async Task Stream_without_end_publishes_nothing()
    {
        GrpcReply reply = await CallAsync("Upload", Frames.Join(Frames.Head("a"), Frames.Data(Small)));
        reply.Failed(1);
        AssertNothing();
    }

    [Theory, InlineData(999), InlineData(1001)]
    public async Task End_with_another_length_publishes_nothing(int length)
    {
        byte[] body = Frames.Join(Frames.Head("a"), Frames.Data(Small), Frames.End(length));
        (await CallAsync("Upload", body)).Failed(15, TransferError.DigestMismatch);
        AssertNothing();
    }

    [Theory, EveryForm]
    public async Task Wrong_digest_publishes_nothing(string form)
    {
        byte[] body = Frames.Join(Frames.Head("a"), Frames.Data(Small), Frames.End(1000, new byte[32]));
        (await CallAsync(form, "Upload", body)).Failed(15, TransferError.DigestMismatch);
        AssertNothing();
    }

    [Fact]
    public async Task Right_digest_is_accepted_at_start_and_end()
    {
        byte[] digest = SHA256.HashData(Small);
        byte[] head = Frames.Of(Frames.Field(3, Frames.Join(Frames.Field(1, "a"u8), Frames.Field(4, digest), Frames.Number(3, 1000))));
        (await CallAsync("Upload", Frames.Join(head, Frames.Data(Small), Frames.End(1000, digest)))).Only(Messages.UploadStatus.Parser);
        (await CallAsync("Upload", Frames.Join(head, Frames.Data(Small), Frames.End(1000, new byte[32]))))
            .Failed(15, TransferError.DigestMismatch);
    }

    [Theory, InlineData(5), InlineData(2000)]
    public async Task Fewer_bytes_than_announced_publish_nothing(int length)
    {
        byte[] head = Frames.Of(Frames.Field(3, Frames.Join(Frames.Field(1, "a"u8), Frames.Number(3, (ulong)length))));
        GrpcReply reply = await CallAsync("Upload", Frames.Join(head, Frames.Data(Small), Frames.End(1000)));
        Assert.Contains(reply.Status, (int[])[8, 15]);
        AssertNothing();
    }

    public static TheoryData<string, byte[]> Misplaced { get; } = new()
    {
        { "data first", Frames.Join(Frames.Data(Small), Frames.End(1000)) },
        { "end first", Frames.End(0) },
        { "file first", Frames.Of(Frames.Field(2, [])) },
        { "nothing", [] },
        { "an empty message", Frames.Of([]) },
        { "a second head", Frames.Join(Frames.Head("a"), Frames.Head("a"), Frames.End(0)) },
        { "data behind the end", Frames.Join(Frames.Head("a"), Frames.End(0), Frames.Data(Small)) },
        { "a second end", Frames.Join(Frames.Head("a"), Frames.End(0), Frames.End(0)) },
        { "data and end", Frames.Join(Frames.Head("a"), Frames.Of(Frames.Join(Frames.Field(1, Small), Frames.Field(4, [])))) },
        { "data and head", Frames.Of(Frames.Join(Frames.Field(3, Frames.Field(1, "a"u8)), Frames.Field(1, Small))) },
        { "an offset", Frames.Join(Frames.Of(Frames.Field(3, Frames.Join(Frames.Field(1, "a"u8), Frames.Number(6, 1)))), Frames.End(0)) },
        { "a negative length", Frames.Join(Frames.Of(Frames.Field(3, Frames.Join(Frames.Field(1, "a"u8), Frames.Number(3, ulong.MaxValue)))), Frames.End(0)) },
        { "a short digest", Frames.Join(Frames.Head("a"), Frames.End(0, new byte[31])) },
    };

    [Theory, MemberData(nameof(Misplaced))]
    public async Task Misplaced_message_is_INVALID_ARGUMENT(string what, byte[] body)
    {
        Assert.NotEmpty(what);
        (await CallAsync("Upload", body)).Failed(3, TransferError.InvalidRequest);
        AssertNothing();
    }

    [Fact]
    public async Task Preconditions_follow_HTTP()
    {
        Put("a", Small);
        string tag = (await CallAsync("Stat", new StatRequest { Name = "a" })).Only(FileVersion.Parser).Tag;
        (await UploadAsync(new Precondition { MustNotExist = true })).Failed(6, TransferError.AlreadyExists);
        (await UploadAsync(new Precondition { Tags = { "other" } })).Failed(9, TransferError.PreconditionFailed);
        (await UploadAsync(new Precondition { MustNotExist = true, MustExist = true })).Failed(3, TransferError.InvalidRequest);
        (await UploadAsync(new Precondition { UnmodifiedSince = new() { Seconds = long.MaxValue } })).Failed(3, TransferError.InvalidRequest);
        (await UploadAsync(new Precondition { Tags = { "other", tag } })).Only(Messages.UploadStatus.Parser);
        (await UploadAsync(new Precondition { MustExist = true })).Only(Messages.UploadStatus.Parser);
    }

    [Fact]
    [NeedsLocalFolder]
    public async Task A_folder_is_not_replaced_by_a_file()
    {
        Directory.CreateDirectory(PathOf("a"));
        (await CallAsync("Upload", Frames.Upload("a", Small))).Failed(3, TransferError.InvalidRequest);
    }

    [Fact]
    public async Task File_over_the_stores_limit_is_RESOURCE_EXHAUSTED()
    {
        await ServeAsync(host: static host => host.Store.MaxFileBytes = 500);
        (await CallAsync("Upload", Frames.Upload("a", Small))).Failed(8, TransferError.TooLarge);
        AssertNothing();
    }

    [Fact]
    public async Task Files_beyond_Kestrels_own_limit_arrive()
    {
        byte[] content = Content.Of(40_000_000);
        (await CallAsync("Upload", Frames.Upload("a", content))).Only(Messages.UploadStatus.Parser);
        Assert.Equal(content.Length, new System.IO.FileInfo(PathOf("a")).Length);
    }

    internal static byte[] Packed(byte[] message) => Frames.Of(Coded.Gzip(message), flags: 1);

    private Task<GrpcReply> UploadAsync(Precondition precondition) => CallAsync("Upload", Frames.Join(
        Frames.Of(new Chunk { Upload = new UploadHead { Name = "a", Precondition = precondition } }),
        Frames.Data(Small),
        Frames.End(1000)));

    private void AssertNothing()
    {
        Assert.False(File.Exists(PathOf("a")));
        Assert.Empty(Leftovers());
    }
}

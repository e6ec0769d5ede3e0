namespace Millrace.Transfer.Server.Tests.Uploads;

/// <summary>The promises of every upload protocol. Peculiarities of one have separate tests.</summary>
public sealed class EveryProtocolTests : UploadProtocolTest
{
    private static readonly byte[] Whole = Content.Of(100_000);

    [Theory, EveryValue]
    public async Task Parts_are_published_with_the_last_one(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, Whole.Length);

        Assert.Equal(new UploadReply(null, 40_000), await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 40_000), isLast: false));
        Assert.Equal(new UploadReply(null, 40_000), await QueryAsync(protocol, upload));
        Assert.False(File.Exists(PathOf("a")));

        Assert.Null((await AppendAsync(protocol, upload, 40_000, Whole.AsMemory(40_000), isLast: true)).Error);
        Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
        Assert.Equal(new UploadReply(null, Whole.Length), await QueryAsync(protocol, upload));
    }

    [NeedsTheory(Need.Native | Need.Root), EveryValue]
    [NeedsLocalFolder]
    public async Task Files_get_the_group_and_the_access_list_that_their_folder_gives(UploadProtocol protocol)
    {
        string folder = Path.GetDirectoryName(PathOf("a"))!;
        Shell.Run("chgrp", "5678", folder);
        Shell.Run("chmod", "2775", folder);
        AccessLists.SetDefault(folder);
        using HttpResponseMessage put = await Server.Client.PutAsync("/files/b", new ByteArrayContent(Whole));

        string upload = await BeginAsync(protocol, Whole.Length);
        Assert.Null((await AppendAsync(protocol, upload, 0, Whole, isLast: true)).Error);

        Assert.StartsWith("5678 660", Describe(PathOf("b")), StringComparison.Ordinal);
        Assert.Equal(Describe(PathOf("b")), Describe(PathOf("a")));

        static string Describe(string path) => Shell.Run("stat", "-c", "%g %a", path) + AccessLists.Get(path);
    }

    [NeedsTheory(Need.Native), EveryValue]
    [NeedsLocalFolder]
    public async Task Replaced_file_keeps_its_access_list(UploadProtocol protocol)
    {
        await File.WriteAllTextAsync(PathOf("a"), "old");
        AccessLists.Set(PathOf("a"));
        string before = AccessLists.Get(PathOf("a"));

        string upload = await BeginAsync(protocol, Whole.Length);
        Assert.Null((await AppendAsync(protocol, upload, 0, Whole, isLast: true)).Error);

        Assert.Equal((before, Whole.Length), (AccessLists.Get(PathOf("a")), new FileInfo(PathOf("a")).Length));
    }

    [Theory, EveryValue]
    public async Task Each_protocol_continues_what_another_began(UploadProtocol first, UploadProtocol second)
    {
        string upload = await BeginAsync(first, Whole.Length);

        Assert.Equal(30_000, (await AppendAsync(first, upload, 0, Whole.AsMemory(0, 30_000), isLast: false)).Offset);
        Assert.Equal(30_000, (await QueryAsync(second, upload)).Offset);
        Assert.Null((await AppendAsync(second, upload, 30_000, Whole.AsMemory(30_000), isLast: true)).Error);

        Assert.Equal(Whole, await File.ReadAllBytesAsync(PathOf("a")));
    }

    [Theory, EveryValue]
    public async Task Offset_mismatch_is_refused_with_the_current_offset(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 5);
        await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 2), isLast: false);

        foreach (long offset in new[] { 0, 1, 4 })
        {
            Assert.Equal(
                UploadReply.Refused(protocol, TransferError.OffsetMismatch, 2),
                await AppendAsync(protocol, upload, offset, Whole.AsMemory(0, 1), isLast: false));
        }

        Assert.Equal(2, (await QueryAsync(protocol, upload)).Offset);
    }

    [Theory, EveryValue]
    public async Task Part_with_a_wrong_digest_is_discarded(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 5);
        await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 2), isLast: false);
        ReadOnlyMemory<byte> part = Whole.AsMemory(2, 2);

        Assert.Equal(
            UploadReply.Refused(protocol, TransferError.DigestMismatch, 2),
            await AppendAsync(protocol, upload, 2, part, isLast: false, new byte[32]));
        Assert.Equal(2, (await QueryAsync(protocol, upload)).Offset);

        UploadReply right = await AppendAsync(protocol, upload, 2, part, isLast: false, SHA256.HashData(part.Span));
        Assert.Equal(new UploadReply(null, 4), right);
    }

    [Theory, EveryValue]
    public async Task Bytes_over_the_announced_length_are_refused_and_discarded(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 5);

        UploadReply reply = await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 6), isLast: false);

        Assert.Equal(UploadReply.Refused(protocol, TransferError.TooLarge, reply.Offset), reply);
        Assert.Equal(new UploadReply(null, 0), await QueryAsync(protocol, upload));
        Assert.False(File.Exists(PathOf("a")));
    }

    [Theory, EveryValue]
    public async Task Deleted_upload_is_gone(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 5);
        await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 2), isLast: false);

        Assert.Null((await DeleteAsync(protocol, upload)).Error);

        await AssertUnknownAsync(protocol, upload);
        Assert.Empty(Leftovers());
    }

    [Theory, EveryValue]
    public async Task Unknown_uploads_are_not_found(UploadProtocol protocol)
    {
        await AssertUnknownAsync(protocol, "0123456789abcdef0123456789abcdef");
        await AssertUnknownAsync(protocol, "none");
    }

    [Theory, EveryValue]
    public async Task Finished_upload_is_unknown_once_its_file_is_gone(UploadProtocol protocol, FileLoss loss)
    {
        string upload = await BeginAsync(protocol, 5);
        await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 5), isLast: true);
        Assert.Equal(new UploadReply(null, 5), await QueryAsync(protocol, upload));

        await LoseAsync(loss);

        await AssertUnknownAsync(protocol, upload);
    }

    [Theory, EveryValue]
    public async Task Finished_upload_stays_complete_while_its_content_is_there(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 5);
        await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 5), isLast: true);

        await Server.Client.PutAsync("/files/a", new ReadOnlyMemoryContent(Whole.AsMemory(0, 5)));

        Assert.Equal(new UploadReply(null, 5), await QueryAsync(protocol, upload));
    }

    [Theory, EveryValue]
    public async Task Name_that_was_taken_meanwhile_keeps_its_file(UploadProtocol protocol)
    {
        string upload = await BeginAsync(protocol, 2, createNew: true);
        Put("a", [9]);

        UploadReply last = await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 2), isLast: true);

        Assert.Equal(UploadReply.Refused(protocol, TransferError.AlreadyExists, last.Offset), last);
        Assert.Equal([9], await File.ReadAllBytesAsync(PathOf("a")));
    }

    /// <summary>How the file of a finished upload is lost.</summary>
    public enum FileLoss
    {
        Deleted,
        Moved,
        Replaced,
        ReplacedByFolder,
        ReplacedOnDisk,
    }

    private async Task LoseAsync(FileLoss loss)
    {
        switch (loss)
        {
            case FileLoss.Moved:
                using (var move = new HttpRequestMessage(new HttpMethod("MOVE"), "/files/a"))
                {
                    move.Headers.Add("Destination", "/files/b");
                    (await Server.Client.SendAsync(move)).EnsureSuccessStatusCode();
                }

                break;
            case FileLoss.Replaced:
                (await Server.Client.PutAsync("/files/a", new ByteArrayContent([5, 4, 3, 2, 1]))).EnsureSuccessStatusCode();
                break;
            case FileLoss.ReplacedOnDisk:
                Put("a", [5, 4, 3, 2, 1]);
                break;
            default:
                (await Server.Client.DeleteAsync("/files/a")).EnsureSuccessStatusCode();
                if (loss == FileLoss.ReplacedByFolder)
                {
                    (await Server.Client.PutAsync("/files/a/b", new ByteArrayContent([1]))).EnsureSuccessStatusCode();
                }

                break;
        }
    }

    private async Task AssertUnknownAsync(UploadProtocol protocol, string upload)
    {
        UploadReply expected = UploadReply.Refused(protocol, TransferError.NotFound);
        Assert.Equal(expected, await QueryAsync(protocol, upload));
        Assert.Equal(expected, await AppendAsync(protocol, upload, 0, Whole.AsMemory(0, 1), isLast: false));
        Assert.Equal(expected, await DeleteAsync(protocol, upload));
    }
}

using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

[NeedsLocalFolder]
public sealed class CancelTests : GrpcTest
{
    [Theory, EveryForm]
    public async Task Abandoned_download_ends(string form)
    {
        using (FileStream sparse = File.Create(PathOf("a")))
        {
            sparse.SetLength(64_000_000);
        }

        using HttpRequestMessage request = Request(FormOf(form), "Download", Frames.Download("a"));
        using (HttpResponseMessage response = await Http2.SendAsync(request, HttpCompletionOption.ResponseHeadersRead))
        {
            Assert.Equal(1, Server.Server.ActiveTransfers);
        }

        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
    }

    [Theory, EveryForm]
    public async Task Disconnected_upload_leaves_nothing(string form)
    {
        using var cut = new CancellationTokenSource();
        byte[] first = Encoded(FormOf(form), Frames.Join(Frames.Head("a"), Frames.Data(Content.Of(300_000), 65_536)));
        using var content = new StreamedContent(first, Task.Delay(Timeout.Infinite, cut.Token));
        using HttpRequestMessage request = Request(FormOf(form), "Upload", content);
        Task<HttpResponseMessage> sent = Http2.SendAsync(request, cut.Token);
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 1);
        await cut.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sent);
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
        Assert.False(File.Exists(PathOf("a")));
        Assert.Empty(Leftovers());
    }

    [Fact]
    public async Task Interrupted_session_keeps_received_bytes()
    {
        string id = (await CallAsync("StartUpload", new StartUploadRequest { Name = "a", Length = 4_000_000 }))
            .Only(Messages.UploadStatus.Parser).Upload;
        byte[] sentBytes = Content.Of(3_000_000);
        using var cut = new CancellationTokenSource();
        using var content = new StreamedContent(Frames.Join(Frames.Head(id, 0), Frames.Data(sentBytes, 65_536)), Task.Delay(Timeout.Infinite, cut.Token));
        using HttpRequestMessage request = Request(GrpcForm.Http2, "Upload", content);
        Task<HttpResponseMessage> sent = Http2.SendAsync(request, cut.Token);

        // The end of it may be in the writer's memory, where small pieces are gathered, until the call ends.
        await Bounded.UntilAsync(() => ReceivedBytesOf(id) >= 2_000_000);
        await cut.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sent);
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 0);
        GrpcReply reply = await CallAsync("QueryUpload", new QueryUploadRequest { Upload = id });
        long kept = reply.Only(Messages.UploadStatus.Parser).Offset;
        Assert.InRange(kept, 2_000_000, sentBytes.Length);
        Assert.Equal(sentBytes[..(int)kept], await File.ReadAllBytesAsync(DataPathOf(id)));
    }
}

using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>Tokens, owners and limits, as over HTTP.</summary>
[NeedsLocalFolder]
public sealed class AccessTests : GrpcTest
{
    private static readonly byte[] Small = Content.Of(1000);

    private TokenStore Tokens => new(TokenStore.DefaultPath(Server.Folder));

    [Fact]
    public async Task Watch_needs_a_token_if_the_server_does()
    {
        Put("a", Small);
        await TokenAsync("reader", TransferScope.Read);
        (await CallAsync("Stat", Frames.Of(new StatRequest { Name = "a" }))).Failed(16, TransferError.Unauthorized);
        (await CallAsync("Stat", Frames.Of(new StatRequest { Name = "b" }))).Failed(16, TransferError.Unauthorized);
        (await CallAsync("Upload", Frames.Upload("b", Small))).Failed(16, TransferError.Unauthorized);
        (await CallAsync("Stat", Frames.Of(new StatRequest { Name = "a" }), ("authorization", "Bearer wrong")))
            .Failed(16, TransferError.Unauthorized);
    }

    [Fact]
    public async Task Token_allows_only_its_scopes_and_prefix()
    {
        Directory.CreateDirectory(PathOf("x"));
        Put("x/a", Small);
        Put("b", Small);
        (string, string) reader = await TokenAsync("reader", TransferScope.Read, "x");
        Assert.Equal(Small, (await CallAsync("Download", Frames.Download("x/a"), reader)).Content());
        (await CallAsync("Download", Frames.Download("b"), reader)).Failed(7, TransferError.Forbidden);
        (await CallAsync("List", Frames.Of(new ListRequest()), reader)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Upload", Frames.Upload("x/c", Small), reader)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Delete", Frames.Of(new DeleteRequest { Name = "x/a" }), reader)).Failed(7, TransferError.Forbidden);
    }

    [Fact]
    public async Task Upload_can_be_continued_only_by_its_owner()
    {
        (string, string) mine = await TokenAsync("mine", TransferScope.Write);
        (string, string) other = await TokenAsync("other", TransferScope.Write);
        byte[] start = Frames.Of(new StartUploadRequest { Name = "a" });
        string id = (await CallAsync("StartUpload", start, mine)).Only(Messages.UploadStatus.Parser).Upload;
        byte[] part = ResumableTests.Part(id, 0, Small);
        (await CallAsync("UploadPart", part, other)).Failed(7, TransferError.Forbidden);
        (await CallAsync("Upload", Frames.Join(Frames.Head(id, 0), Frames.End(0)), other)).Failed(7, TransferError.Forbidden);
        (await CallAsync("QueryUpload", Frames.Of(new QueryUploadRequest { Upload = id }), other)).Failed(7, TransferError.Forbidden);
        (await CallAsync("AbortUpload", Frames.Of(new AbortUploadRequest { Upload = id }), other)).Failed(7, TransferError.Forbidden);
        (await CallAsync("UploadPart", part, mine)).Only(Messages.UploadStatus.Parser);
    }

    [Fact]
    public async Task Signed_link_is_not_valid_for_gRPC()
    {
        Put("a", Small);
        var tokens = Tokens;
        string link = SignedLink.CreateQuery(
            await tokens.GetLinkKeyAsync(), "GET", TransferName.Parse("a"), DateTimeOffset.UtcNow.AddHours(1));
        await Server.Client.GetAsync(new Uri($"/files/a?{link}", UriKind.Relative)).AnswersAsync(HttpStatusCode.OK);
        GrpcReply reply = await CallAsync($"/millrace.v1.FileTransfer/Stat?{link}", Frames.Of(new StatRequest { Name = "a" }));
        reply.Failed(7, TransferError.Forbidden);
    }

    [Fact]
    public async Task Transfer_over_the_limit_gets_a_retry_time()
    {
        await ServeAsync(host: static host => host.Limits.MaxTransfers = 1);
        var end = new TaskCompletionSource();
        using var content = new StreamedContent(async stream =>
        {
            await stream.WriteAsync(Frames.Head("a"));
            await stream.FlushAsync();
            await end.Task;
            await stream.WriteAsync(Frames.End(0));
        });
        Task<GrpcReply> first = SendAsync(GrpcForm.Http2, Request(GrpcForm.Http2, "Upload", content));
        await Bounded.UntilAsync(() => Server.Server.ActiveTransfers == 1);
        GrpcReply second = await CallAsync("Upload", Frames.Upload("b", Small));
        second.Failed(8, TransferError.TooManyTransfers);
        Assert.Equal("5", second.Trailers["retry-after"]);
        Assert.Equal(5, second.DetailOf<Google.Rpc.RetryInfo>()?.RetryDelay.Seconds);
        end.SetResult();
        (await first.Soon()).Only(Messages.UploadStatus.Parser);
    }

    private async Task<(string Name, string Value)> TokenAsync(string name, TransferScope scopes, string? prefix = null) =>
        ("authorization", "Bearer " + (await Tokens.AddAsync(
            name, scopes, prefix is null ? default : TransferName.Parse(prefix))).Secret);
}

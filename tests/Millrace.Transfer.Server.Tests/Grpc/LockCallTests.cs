using Millrace.Transfer.Messages;

namespace Millrace.Transfer.Server.Tests.Grpc;

/// <summary>gRPC calls on files that a WebDAV client has locked.</summary>
public sealed class LockCallTests : GrpcTest
{
    private const string Exclusive =
        "<D:lockinfo xmlns:D=\"DAV:\"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>";

    [Fact]
    public async Task Locked_names_are_changed_by_calls_only_with_the_token()
    {
        Put("f/a", [1]);
        Put("f/h", [1]);
        Put("b", [1]);
        using var request = new HttpRequestMessage(new HttpMethod("LOCK"), new Uri("/files/f/", UriKind.Relative)) { Content = new StringContent(Exclusive) };
        using HttpResponseMessage locked = await Server.Client.SendAsync(request);
        string token = $"({locked.Headers.GetValues("Lock-Token").Single()})";
        (await CallAsync("Delete", new DeleteRequest { Name = "f/a" })).Failed(9, TransferError.PreconditionFailed);
        (await CallAsync("Delete", new DeleteRequest { Name = "f", Recursive = true })).Failed(9, TransferError.PreconditionFailed);
        (await CallAsync("Move", new MoveRequest { From = "f/a", To = "c" })).Failed(9, TransferError.PreconditionFailed);
        (await CallAsync("Move", new MoveRequest { From = "b", To = "f/b" })).Failed(9, TransferError.PreconditionFailed);
        (await CallAsync("CreateFolder", new CreateFolderRequest { Name = "f/g" })).Failed(9, TransferError.PreconditionFailed);
        (await CallAsync("StartUpload", new StartUploadRequest { Name = "f/a", Length = 1 })).Failed(9, TransferError.PreconditionFailed);
        Assert.True(File.Exists(PathOf("f/a")));
        (await CallAsync("grpc", "Delete", Frames.Of(new DeleteRequest { Name = "f/a" }), ("If", $"</files/b> {token}"))).Failed(9, TransferError.PreconditionFailed);
        foreach ((string name, string condition) in new[] { ("f/a", token), ("f/h", $"</files/f/> {token}") })
        {
            GrpcReply deleted = await CallAsync("grpc", "Delete", Frames.Of(new DeleteRequest { Name = name }), ("If", condition));
            Assert.True(deleted.Only(DeleteResponse.Parser).Deleted);
        }
    }
}

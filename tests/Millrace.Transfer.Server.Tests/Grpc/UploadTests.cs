using System.Security.Cryptography;
using Millrace.Transfer.Messages;
using Millrace.Transfer.Server.Tests.Infrastructure;

namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class UploadTests : GrpcTest
{
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_file_arrives_as_it_was_sent(string form, ChunkHandling handling)
    {
        await ServeAsync(grpc => grpc with { ChunkHandling = handling });
        byte[] content = Content.Of(3_000_001);
        GrpcReply reply = await CallAsync(form, "Upload", Frames.Upload("a", content));
        Messages.UploadStatus status = reply.Only(Messages.UploadStatus.Parser);
        Assert.Equal(content.Length, status.File.Length);
        Assert.Equal(SHA256.HashData(content), status.File.Sha256.ToByteArray());
        Assert.Equal(content, await File.ReadAllBytesAsync(PathOf("a")));
    }
}

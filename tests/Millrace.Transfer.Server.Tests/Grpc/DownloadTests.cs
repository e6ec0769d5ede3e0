using System.Security.Cryptography;
using Millrace.Transfer.Server.Tests.Infrastructure;

namespace Millrace.Transfer.Server.Tests.Grpc;

public sealed class DownloadTests : GrpcTest
{
    [Theory]
    [MemberData(nameof(Ways))]
    public async Task A_file_comes_as_it_is(string form, ChunkHandling handling)
    {
        await ServeAsync(grpc => grpc with { ChunkHandling = handling });
        byte[] content = Content.Of(3_000_001);
        Put("a", content);
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("a"));
        Assert.Equal(content, reply.Content());
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public async Task An_empty_file_has_no_chunk(string form, ChunkHandling handling)
    {
        await ServeAsync(grpc => grpc with { ChunkHandling = handling });
        Put("a", []);
        GrpcReply reply = await CallAsync(form, "Download", Frames.Download("a"));
        Assert.Equal(2, reply.Messages.Count);
        Assert.Empty(reply.Content());
    }
}

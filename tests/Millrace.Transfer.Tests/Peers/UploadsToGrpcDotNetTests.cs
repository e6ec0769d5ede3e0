extern alias Peer;

using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

public sealed class UploadsToGrpcDotNetTests : ForeignServerTest
{
    [Theory]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.None)]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.Gzip)]
    public async Task Files_of_every_size_arrive(TransferProtocol protocol, TransferCompression compression)
    {
        await using GrpcDotNetServer server = await GrpcDotNetServer.StartAsync();
        using TransferClient client = Infrastructure.Clients.To(new Uri(server.Address, "files/"), options =>
        {
            options.Protocol = protocol;
            options.Compression = compression;
            options.MaxAttempts = 1;
        });

        // Each has other groups of three bytes at the ends of its messages.
        foreach (int size in (int[])[0, 1, 2, 3, 4, 5, 1_000, 1_001, 1_002, 65_535, 65_536, 65_537, 300_001])
        {
            byte[] content = Content.Random(size);
            await client.PutAsync(Here.Write($"{size}", content), Name($"{size}"));
            Assert.Equal(content, server.Files[$"{size}"]);
        }
    }
}

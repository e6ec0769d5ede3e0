extern alias Peer;

using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

public sealed class UploadsToGrpcDotNetTests : ForeignServerTest
{
    // Each has other groups of three bytes at the ends of its messages; the last one has several parts.
    private static readonly int[] _sizes =
        [0, 1, 2, 3, 4, 5, 1_000, 1_001, 1_002, 65_535, 65_536, 65_537, 100 * 1024, 300_001, 40_000_000];

    [Theory]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.None, false)]
    [InlineData(TransferProtocol.GrpcWeb, TransferCompression.Gzip, false)]
    [InlineData(TransferProtocol.GrpcWebText, TransferCompression.None, false)]
    [InlineData(TransferProtocol.GrpcWebText, TransferCompression.Gzip, false)]
    [InlineData(TransferProtocol.GrpcWebText, TransferCompression.None, true)]
    [InlineData(TransferProtocol.GrpcWebText, TransferCompression.Gzip, true)]
    public async Task Files_of_every_size_arrive(TransferProtocol protocol, TransferCompression compression, bool isStrict)
    {
        await using GrpcDotNetServer server = await GrpcDotNetServer.StartAsync(isStrict);
        using TransferClient client = Connect(server, protocol, compression, attempts: 1);
        foreach (int size in _sizes)
        {
            byte[] content = Content.Random(size);
            await client.PutAsync(Here.Write($"{size}", content), Name($"{size}"));
            Assert.True(content.AsSpan().SequenceEqual(server.Files[$"{size}"]), $"{size}");
        }
    }

    [Theory]
    [InlineData(TransferCompression.None)]
    [InlineData(TransferCompression.Gzip)]
    public async Task Text_arrives_in_one_call_where_there_are_no_parts(TransferCompression compression)
    {
        await using GrpcDotNetServer server = await GrpcDotNetServer.StartAsync(isStrict: true, hasUploads: false);
        using TransferClient client = Connect(server, TransferProtocol.GrpcWebText, compression, attempts: 1);
        foreach (int size in _sizes.Where(static size => size < 1_000_000))
        {
            byte[] content = Content.Random(size);
            await client.PutAsync(Here.Write($"{size}", content), Name($"{size}"));
            Assert.True(content.AsSpan().SequenceEqual(server.Files[$"{size}"]), $"{size}");
        }
    }

    [Theory]
    [InlineData(TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWebText)]
    public async Task Files_of_every_size_are_downloaded(TransferProtocol protocol)
    {
        await using GrpcDotNetServer server = await GrpcDotNetServer.StartAsync();
        foreach (int chunk in (int[])[1_030, 65_536, 1_000_000])
        {
            using TransferClient client = Connect(server, protocol, TransferCompression.None, attempts: 1, chunk);
            foreach (int size in _sizes)
            {
                byte[] content = Content.Random(size);
                server.Files[$"{size}"] = content;
                string path = Here[$"{chunk}-{size}"];
                await client.GetAsync(Name($"{size}"), path);
                Assert.True(content.AsSpan().SequenceEqual(File.ReadAllBytes(path)), $"{size} in chunks of {chunk}");
            }
        }
    }

    private static TransferClient Connect(
        GrpcDotNetServer server, TransferProtocol protocol, TransferCompression compression, int attempts, int? chunk = null) =>
        Infrastructure.Clients.To(new Uri(server.Address, "files/"), options =>
        {
            options.Protocol = protocol;
            options.Compression = compression;
            options.MaxAttempts = attempts;
            options.ChunkBytes = chunk;
        });
}

extern alias Peer;

using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

public sealed class UploadsToGrpcDotNetTests : ForeignServerTest
{
    // Each has other groups of three bytes at the ends of its messages; the last one has several parts.
    private static readonly int[] Sizes =
        [0, 1, 2, 3, 4, 5, 1_000, 1_001, 1_002, 65_535, 65_536, 65_537, 100 * 1024, 300_001, 40_000_000];

    [Theory]
    [InlineData(GrpcDotNetServer.Web, TransferCompression.None)]
    [InlineData(GrpcDotNetServer.Web, TransferCompression.Gzip)]
    [InlineData(GrpcDotNetServer.WebText, TransferCompression.None)]
    [InlineData(GrpcDotNetServer.WebText, TransferCompression.Gzip)]
    [InlineData(GrpcDotNetServer.WebText, TransferCompression.None, GrpcDotNetServer.Strict)]
    [InlineData(GrpcDotNetServer.WebText, TransferCompression.Gzip, GrpcDotNetServer.Strict)]
    public async Task Files_of_every_size_arrive(string name, TransferCompression compression, params string[] options)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name, options);
        await AssertArriveAsync(server, compression, Sizes);
    }

    [Theory]
    [InlineData(TransferCompression.None)]
    [InlineData(TransferCompression.Gzip)]
    public async Task Text_arrives_in_one_call_where_there_are_no_parts(TransferCompression compression)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(
            GrpcDotNetServer.WebText, GrpcDotNetServer.Strict, GrpcDotNetServer.WithoutParts);
        await AssertArriveAsync(server, compression, Sizes.Where(static size => size < 1_000_000));
    }

    [Theory]
    [InlineData(GrpcDotNetServer.Web)]
    [InlineData(GrpcDotNetServer.WebText)]
    public async Task Files_of_every_size_are_downloaded(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        foreach (int chunk in (int[])[1_030, 65_536, 1_000_000])
        {
            using TransferClient client = server.Connect(options => (options.MaxAttempts, options.ChunkBytes) = (1, chunk));
            foreach (int size in Sizes)
            {
                byte[] content = server.Write($"{size}", size);
                string path = Here[$"{chunk}-{size}"];
                await client.GetAsync(Name($"{size}"), path);
                Assert.True(content.AsSpan().SequenceEqual(File.ReadAllBytes(path)), $"{size} in chunks of {chunk}");
            }
        }
    }

    private async Task AssertArriveAsync(ForeignServer server, TransferCompression compression, IEnumerable<int> sizes)
    {
        using TransferClient client = server.Connect(options => (options.MaxAttempts, options.Compression) = (1, compression));
        foreach (int size in sizes)
        {
            byte[] content = Content.Random(size);
            await client.PutAsync(Here.Write($"{size}", content), Name($"{size}"));
            Assert.True(content.AsSpan().SequenceEqual(File.ReadAllBytes(server.PathOf($"{size}"))), $"{size}");
        }
    }
}

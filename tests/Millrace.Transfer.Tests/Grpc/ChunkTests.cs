namespace Millrace.Transfer.Tests.Grpc;

public sealed class ChunkTests
{
    private static readonly TransferProtocol[] Protocols = [TransferProtocol.Grpc, TransferProtocol.GrpcWeb, TransferProtocol.GrpcWebText];

    public static TheoryData<TransferProtocol, TransferCompression> ProtocolsAndCompressions()
    {
        var all = new TheoryData<TransferProtocol, TransferCompression>();
        foreach (TransferProtocol protocol in Protocols)
        {
            foreach (TransferCompression compression in Enum.GetValues<TransferCompression>())
            {
                all.Add(protocol, compression);
            }
        }

        return all;
    }

    public static TheoryData<TransferProtocol, int> ChunkSizes()
    {
        var sizes = new TheoryData<TransferProtocol, int>();
        foreach (TransferProtocol protocol in Protocols)
        {
            foreach (int bytes in (int[])[TransferClientOptions.MinChunkBytes, 4096, 65_536, 1_000_003, TransferClientOptions.MaxChunkBytes])
            {
                sizes.Add(protocol, bytes);
            }
        }

        return sizes;
    }

    [Theory]
    [MemberData(nameof(ProtocolsAndCompressions))]
    public async Task Files_make_a_round_trip(TransferProtocol protocol, TransferCompression compression)
    {
        await using TestServer server = await TestServer.StartAsync();
        using TransferClient client = server.Connect(options =>
        {
            options.Protocol = protocol;
            options.Compression = compression;
        });
        foreach (int size in (int[])[0, 1, 100_000, 3_000_000])
        {
            await ThereAndBackAsync(client, Half(size));
        }
    }

    [Theory]
    [MemberData(nameof(ChunkSizes))]
    public async Task Chunks_may_have_any_size(TransferProtocol protocol, int bytes)
    {
        await using TestServer server = await TestServer.StartAsync();
        foreach (TransferCompression compression in Enum.GetValues<TransferCompression>())
        {
            using TransferClient client = server.Connect(
                options =>
                {
                    options.Protocol = protocol;
                    options.ChunkBytes = bytes;
                    options.Compression = compression;
                });

            await ThereAndBackAsync(client, Half(Math.Min(9_000_000, bytes * 400)));
        }
    }

    [Theory]
    [InlineData(TransferProtocol.Grpc)]
    [InlineData(TransferProtocol.GrpcWeb)]
    [InlineData(TransferProtocol.GrpcWebText)]
    public async Task Compressed_files_take_fewer_bytes_both_ways(TransferProtocol protocol)
    {
        await using TestServer server = await TestServer.StartAsync();
        await using var relay = new TestRelay(() => server.PortOf(protocol), _ => new RelayPlan { CutUpAfter = 2_000_000, CutDownAfter = 2_000_000 });
        using TransferClient client = Clients.To(
            relay.Files, options =>
            {
                options.Protocol = protocol;
                options.Compression = TransferCompression.Gzip;
                options.MaxAttempts = 1;
            });

        await ThereAndBackAsync(client, new byte[20_000_000]);
    }

    /// <summary>Random in its first half, zeros behind.</summary>
    private static byte[] Half(int size)
    {
        byte[] content = new byte[size];
        Content.Random(size / 2).CopyTo(content, 0);
        return content;
    }

    private static async Task ThereAndBackAsync(TransferClient client, byte[] content)
    {
        using var back = new MemoryStream();

        TransferResult put = await client.PutAsync(new MemoryStream(content), Clients.Name("x"));
        TransferResult got = await client.GetAsync(Clients.Name("x"), back);

        Assert.Equal(Sha256Digest.Compute(content), put.Sha256);
        Assert.Equal(Sha256Digest.Compute(content), got.Sha256);
        Assert.True(content.AsSpan().SequenceEqual(back.GetBuffer().AsSpan(0, (int)back.Length)));
    }
}

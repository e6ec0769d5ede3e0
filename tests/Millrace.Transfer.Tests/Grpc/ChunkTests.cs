namespace Millrace.Transfer.Tests.Grpc;

public sealed class ChunkTests : ServerTest
{
    [Theory, EveryProtocol(ProtocolSet.Grpc, TransferCompression.None, TransferCompression.Gzip)]
    public async Task Files_make_a_round_trip(TransferProtocol protocol, TransferCompression compression)
    {
        using TransferClient client = Server.Connect(options =>
        {
            options.Protocol = protocol;
            options.Compression = compression;
        });
        foreach (int size in (int[])[0, 1, 100_000, 3_000_000])
        {
            await ThereAndBackAsync(client, Half(size));
        }
    }

    [Theory, EveryProtocol(
        ProtocolSet.Grpc, TransferClientOptions.MinChunkBytes, 4096, 65_536, 1_000_003, TransferClientOptions.MaxChunkBytes)]
    public async Task Chunks_may_have_any_size(TransferProtocol protocol, int bytes)
    {
        foreach (TransferCompression compression in Enum.GetValues<TransferCompression>())
        {
            using TransferClient client = Server.Connect(
                options =>
                {
                    options.Protocol = protocol;
                    options.ChunkBytes = bytes;
                    options.Compression = compression;
                });

            await ThereAndBackAsync(client, Half(Math.Min(9_000_000, bytes * 400)));
        }
    }

    [Theory, EveryProtocol(ProtocolSet.Grpc)]
    public async Task Compressed_files_take_fewer_bytes_both_ways(TransferProtocol protocol)
    {
        await using var relay = new TestRelay(() => Server.PortOf(protocol), _ => new RelayPlan { CutUpAfter = 2_000_000, CutDownAfter = 2_000_000 });
        using TransferClient client = Clients.To(
            relay.Files, options =>
            {
                options.Protocol = protocol;
                options.Compression = TransferCompression.Gzip;
                options.MaxAttempts = 1;
            });

        await ThereAndBackAsync(client, new byte[20_000_000]);
    }

    /// <summary>A random first half, then zeros.</summary>
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

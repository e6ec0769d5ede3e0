extern alias Peer;

using System.Runtime.CompilerServices;
using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

public sealed class UploadsToForeignServersTests : ForeignServerTest
{
    private const int Large = 100_000_000;

    [NeedsTheory(Need.GrpcPeers), EveryServer(0, 1, 65_536, 3_000_001)]
    public async Task A_file_is_published_under_its_name(string name, int size)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        string source = Here.Write("file", Content.Random(size));
        using TransferClient client = server.Connect();
        TransferResult result = await client.PutAsync(source, Name("a/b"));
        Assert.Equal(server.Protocol, result.Protocol);
        Assert.Equal(Sha256Of(source), Sha256Of(server.PathOf("a/b")));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer(TransferClientOptions.MinChunkBytes, 100_000, TransferClientOptions.MaxChunkBytes)]
    public async Task Chunks_of_any_size_make_a_round_trip(string name, int chunk)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        string source = Here.Write("file", Content.Random(1_000_003));
        using TransferClient client = server.Connect(options => options.ChunkBytes = chunk);
        await client.PutAsync(source, Name("copy"));
        await client.GetAsync(Name("copy"), Here["back"]);
        Assert.Equal(Sha256Of(source), Sha256Of(server.PathOf("copy")));
        Assert.Equal(Sha256Of(source), Sha256Of(Here["back"]));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Hundred_megabytes_make_a_round_trip(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        string source = Here.Write("file", Content.Random(Large));
        using TransferClient client = server.Connect();
        await client.PutAsync(source, Name("large"));
        await client.GetAsync(Name("large"), Here["copy"]);
        string digest = Sha256Of(source);
        Assert.Equal(digest, Sha256Of(server.PathOf("large")));
        Assert.Equal(digest, Sha256Of(Here["copy"]));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Compressed_file_is_smaller_on_the_wire_and_unchanged(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        await using var relay = new TestRelay(() => server.Port);
        using TransferClient client = Clients.To(
            relay.Address,
            options =>
            {
                options.Protocol = server.Protocol;
                options.Compression = TransferCompression.Gzip;
            });
        await client.PutAsync(Here.Write("text", Text(3_000_000)), Name("text"));
        Assert.InRange(relay.Up, 1, 1_500_000);
        Assert.Equal(Text(3_000_000), await File.ReadAllBytesAsync(server.PathOf("text")));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Interrupted_upload_resumes(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        string source = Here.Write("file", Content.Random(3_000_001));
        using TransferClient client = server.Connect();
        await client.PutAsync(source, Name("flaky-file"));
        Assert.Equal(Sha256Of(source), Sha256Of(server.PathOf("flaky-file")));
        await Bounded.UntilAsync(() => server.Lines.Any(static line => line.Contains("QueryUpload", StringComparison.Ordinal)));
    }

    // In gRPC-Web no call is open while the client waits for more to send.
    [NeedsTheory(Need.GrpcPeers)]
    [InlineData("Python")]
    [InlineData("grpc-js")]
    [InlineData(GrpcDotNetServer.Http2)]
    public async Task A_cancelled_upload_ends_at_both_sides_and_publishes_nothing(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        using TransferClient client = server.Connect();
        using var cancelling = new CancellationTokenSource();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => client.PutAsync(CancelledMidwayAsync(server, cancelling), Name("file"), cancellationToken: cancelling.Token));
        await server.AssertCancelledAsync("Upload");
        Assert.False(File.Exists(server.PathOf("file")));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Existing_file_is_refused_for_CreateNew(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        byte[] before = server.Write("file", 10);
        using TransferClient client = server.Connect();
        await Fails.WithAsync(TransferError.AlreadyExists, () => client.PutAsync(
            Here.Write("file", Content.Random(3_000_000)),
            Name("file"),
            new PutOptions { Precondition = new WritePrecondition { CreateNew = true } }));
        Assert.Equal(before, await File.ReadAllBytesAsync(server.PathOf("file")));
    }

    private static async IAsyncEnumerable<ReadOnlyMemory<byte>> CancelledMidwayAsync(
        ForeignServer server,
        CancellationTokenSource cancelling,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        for (int i = 0; i < 100; i++)
        {
            yield return new byte[100_000];
            if (i == 20)
            {
                await server.AssertCalledAsync("Upload");
                await cancelling.CancelAsync();
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
    }
}

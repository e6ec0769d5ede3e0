extern alias Peer;

using Peer::Millrace.Transfer.Tests.Peer;

namespace Millrace.Transfer.Tests.Peers;

public sealed class DownloadsFromForeignServersTests : ForeignServerTest
{
    [NeedsTheory(Need.GrpcPeers), EveryServer(0, 1, 65_536, 3_000_001)]
    public async Task A_file_arrives_verified(string name, int size)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        byte[] content = server.Write("file", size);
        using TransferClient client = server.Connect();
        TransferResult result = await client.GetAsync(Name("file"), Here["file"]);
        Assert.Equal(server.Protocol, result.Protocol);
        Assert.Equal(size, result.Length);
        Assert.Equal(Sha256Of(server.PathOf("file")), result.Sha256?.ToString());
        Assert.Equal(content, await File.ReadAllBytesAsync(Here["file"]));
    }

    [NeedsTheory(Need.GrpcPeers)]
    [InlineData("Python")]
    [InlineData(GrpcDotNetServer.Http2)]
    [InlineData(GrpcDotNetServer.Web)]
    [InlineData(GrpcDotNetServer.WebText)]
    public async Task Compressed_file_is_smaller_on_the_wire_and_unchanged(string name)
    {
        // @grpc/grpc-js compresses no answers. grpcio does not say how a request was compressed.
        await using ForeignServer server = await ForeignServer.StartAsync(name, name == "Python" ? ["--gzip"] : []);
        await File.WriteAllBytesAsync(server.PathOf("text"), Text(3_000_000));
        await using var relay = new TestRelay(() => server.Port);
        using TransferClient client = Infrastructure.Clients.To(
            relay.Address,
            options =>
            {
                options.Protocol = server.Protocol;
                options.Compression = TransferCompression.Gzip;
            });
        await client.GetAsync(Name("text"), Here["text"]);
        Assert.InRange(relay.Down, 1, 1_500_000);
        Assert.Equal(Text(3_000_000), await File.ReadAllBytesAsync(Here["text"]));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Interrupted_download_resumes(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        byte[] content = server.Write("flaky-file", 3_000_001);

        // A busy machine would be a reason for several connections.
        using TransferClient client = server.Connect(static options => options.MaxConnections = 1);
        TransferResult result = await client.GetAsync(Name("flaky-file"), Here["file"]);
        Assert.Equal(content, await File.ReadAllBytesAsync(Here["file"]));
        await Bounded.UntilAsync(() => Downloads() >= 2);
        Assert.Equal(2, Downloads());
        Assert.InRange(result.BytesSent, 3_000_001, 3_000_001 + 1_500_000);

        int Downloads() => server.Lines.Count(static line => line.Contains("Download", StringComparison.Ordinal));
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Stream_without_an_end_is_not_published(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("cut-file", 100_000);
        using TransferClient client = server.Connect(static options => options.MaxAttempts = 2);
        await Assert.ThrowsAsync<TransferException>(() => client.GetAsync(Name("cut-file"), Here["file"]));
        Assert.Empty(Here.Files);
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task A_file_with_another_digest_is_not_published(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("wrong-file", 100_000);
        using TransferClient client = server.Connect(static options => options.MaxAttempts = 2);
        await Fails.WithAsync(TransferError.DigestMismatch, () => client.GetAsync(Name("wrong-file"), Here["file"]));
        Assert.Empty(Here.Files);
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Deadline_ends_an_idle_download_at_both_ends(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("slow-file", 100_000);
        using TransferClient client = server.Connect(
            static options =>
            {
                options.MaxAttempts = 1;
                options.CallTimeout = TimeSpan.FromMilliseconds(300);
            });

        // On a busy machine the deadline can pass before the call arrives.
        await Bounded.UntilAsync(async () =>
        {
            await Fails.WithAsync(TransferError.TooSlow, () => client.GetAsync(Name("slow-file"), Here["file"]));
            return server.HasCancelled("Download");
        });
    }

    [NeedsTheory(Need.GrpcPeers), EveryServer]
    public async Task Stopping_to_read_cancels_the_call(string name)
    {
        await using ForeignServer server = await ForeignServer.StartAsync(name);
        server.Write("file", 50_000_000);
        using TransferClient client = server.Connect();
        long read = 0;
        await foreach (ReadOnlyMemory<byte> piece in client.ReadAsync(Name("file")))
        {
            read += piece.Length;
            if (read > 1_000_000)
            {
                break;
            }
        }

        await server.AssertCancelledAsync("Download");
    }
}

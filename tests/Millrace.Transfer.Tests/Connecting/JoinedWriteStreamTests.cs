using System.Net.Sockets;

namespace Millrace.Transfer.Tests.Connecting;

/// <summary>The fields of a request and its small body go out together.</summary>
public sealed class JoinedWriteStreamTests : ServerTest
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(3_000, 1)]
    [InlineData(3_800, 1)]
    [InlineData(4_096, 1)]
    [InlineData(16_384, 1)]
    [InlineData(16_385, 2)]
    [InlineData(200_000, 100)]
    public async Task Small_file_is_one_write_to_the_connection(int bytes, int maxWrites)
    {
        int writes = 0;
        using var handler = new SocketsHttpHandler
        {
            ConnectCallback = async (context, cancellationToken) =>
            {
                var socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
                await socket.ConnectAsync(context.DnsEndPoint, cancellationToken);
                return new JoinedWriteStream(new CountedStream(new NetworkStream(socket, ownsSocket: true), () => Interlocked.Increment(ref writes)));
            },
        };
        using TransferClient client = new(Server.Files, handler, disposeHandler: false, new TransferClientOptions { Protocol = TransferProtocol.Http1 });
        byte[] content = Content.Random(bytes, bytes);
        await client.PutAsync(new MemoryStream(content), Clients.Name("first"));
        for (int i = 0; i < 3; i++)
        {
            Volatile.Write(ref writes, 0);
            TransferResult result = await client.PutAsync(new MemoryStream(content), Clients.Name($"f{i}"));

            Assert.InRange(Volatile.Read(ref writes), 1, maxWrites);
            Assert.Equal(content, await File.ReadAllBytesAsync(Server.PathOf($"f{i}")));
            Assert.Equal(bytes, result.BytesSent);
            Assert.Equal(bytes, (await client.FindAsync(Clients.Name($"f{i}")))!.Length);
        }
    }

    private sealed class CountedStream(Stream inner, Action count) : ForwardStream
    {
        public override bool CanRead => true;

        public override bool CanWrite => true;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            inner.ReadAsync(buffer, cancellationToken);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            count();
            return inner.WriteAsync(buffer, cancellationToken);
        }

        protected override void Dispose(bool disposing)
        {
            inner.Dispose();
            base.Dispose(disposing);
        }
    }
}

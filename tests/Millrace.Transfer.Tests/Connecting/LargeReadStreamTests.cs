using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Tests.Connecting;

/// <summary>A connection that is received in large pieces and handed out in small ones.</summary>
public sealed class LargeReadStreamTests : IDisposable
{
    private readonly Socket _far;
    private readonly LargeReadStream _stream;

    public LargeReadStreamTests()
    {
        using var listener = new Socket(SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        var near = new Socket(SocketType.Stream, ProtocolType.Tcp);
        near.Connect(listener.LocalEndPoint!);
        _far = listener.Accept();
        _stream = new LargeReadStream(new NetworkStream(near, ownsSocket: true));
    }

    public void Dispose()
    {
        _stream.Dispose();
        _far.Dispose();
    }

    [Theory]
    [InlineData(9)]
    [InlineData(16_384)]
    [InlineData(300_000)]
    public async Task Bytes_arrive_in_order_for_any_buffer_size(int asked)
    {
        byte[] content = [.. Enumerable.Range(0, 1_000_000).Select(value => (byte)(value * 31))];
        Task sending = Task.Run(async () =>
        {
            await _far.SendAsync(content);
            _far.Shutdown(SocketShutdown.Send);
        });
        var received = new MemoryStream();
        byte[] buffer = new byte[asked];
        while (await _stream.ReadAsync(buffer.AsMemory()) is > 0 and var read)
        {
            received.Write(buffer, 0, read);
        }

        await sending;
        Assert.Equal(content, received.ToArray());
        Assert.Equal(0, await _stream.ReadAsync(buffer.AsMemory()));
    }

    [Fact]
    public async Task Received_bytes_are_read_without_waiting()
    {
        await _far.SendAsync(new byte[] { 1, 2, 3 });
        byte[] buffer = new byte[1];
        Assert.Equal(1, await _stream.ReadAsync(buffer.AsMemory()));

        ValueTask<int> next = _stream.ReadAsync(buffer.AsMemory());

        Assert.True(next.IsCompletedSuccessfully);
        Assert.Equal(1, await next);
        Assert.Equal(2, buffer[0]);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(100)]
    public async Task Frames_of_a_body_arrive_whole_and_in_their_order(int frames)
    {
        byte[] content = [.. Enumerable.Range(0, frames).SelectMany(frame => Frame(flags: 0, (byte)frame))];
        Task<byte[]> receiving = ReceiveAsync(content.Length);
        foreach (byte[] frame in content.Chunk(Frame(0, 0).Length))
        {
            await _stream.WriteAsync(frame.AsMemory());
        }

        Assert.Equal(content, await receiving);
    }

    [Fact]
    public async Task Write_to_a_reset_connection_eventually_fails()
    {
        _far.LingerState = new LingerOption(enable: true, seconds: 0);
        _far.Close();

        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            for (int i = 0; i < 10_000; i++)
            {
                await _stream.WriteAsync(Frame(flags: 1, 0).AsMemory());
                await Task.Delay(1);
            }
        });
    }

    [Fact]
    public async Task Dispose_ends_a_pending_read()
    {
        ValueTask<int> reading = _stream.ReadAsync(new byte[10].AsMemory());

        await _stream.DisposeAsync();

        await Assert.ThrowsAnyAsync<IOException>(async () => await reading);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => _stream.ReadExactlyAsync(new byte[10]).AsTask());
    }

    private static byte[] Frame(byte flags, byte content) =>
        [0, 0x40, 0, 0, flags, 0, 0, 0, 1, .. Enumerable.Repeat(content, 16_384)];

    private async Task<byte[]> ReceiveAsync(int count)
    {
        byte[] received = new byte[count];
        for (int at = 0; at < count;)
        {
            int read = await _far.ReceiveAsync(received.AsMemory(at));
            Assert.NotEqual(0, read);
            at += read;
        }

        return received;
    }
}

using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server.Tests.Peers;

/// <summary>Stands between a peer and the server and counts the bytes that pass.</summary>
internal sealed class CountingRelay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentBag<Task> _connections = [];
    private readonly int _target;
    private readonly Task _accepting;
    private long _up;
    private long _down;

    public CountingRelay(int target)
    {
        _target = target;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public Uri Address => new($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    /// <summary>Bytes from the peer to the server.</summary>
    public long Up => Interlocked.Read(ref _up);

    /// <summary>Bytes from the server to the peer.</summary>
    public long Down => Interlocked.Read(ref _down);

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _listener.Stop();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await Task.WhenAll(_connections).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _stop.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            _connections.Add(CarryAsync(await _listener.AcceptSocketAsync(_stop.Token)));
        }
    }

    private async Task CarryAsync(Socket peer)
    {
        using Socket here = peer;
        using var there = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await there.ConnectAsync(new IPEndPoint(IPAddress.Loopback, _target), _stop.Token);
        await Task.WhenAll(
            PumpAsync(here, there, bytes => Interlocked.Add(ref _up, bytes)),
            PumpAsync(there, here, bytes => Interlocked.Add(ref _down, bytes)));
    }

    private async Task PumpAsync(Socket from, Socket to, Action<int> count)
    {
        byte[] buffer = new byte[64 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer, _stop.Token) is > 0 and int read)
            {
                count(read);
                for (int sent = 0; sent < read;)
                {
                    sent += await to.SendAsync(buffer.AsMemory(sent, read - sent), _stop.Token);
                }
            }
        }
        finally
        {
            to.Dispose();
        }
    }
}

using System.Net;
using System.Net.Sockets;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Stands before a server and lets through so many bytes, so that a transfer is in its middle for as long as a test needs.</summary>
internal sealed class StallingRelay : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly Func<int> _server;
    private readonly Lock _lock = new();
    private readonly List<Socket> _open = [];
    private readonly Task _accepting;
    private TaskCompletionSource _stalled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private long _up = long.MaxValue;
    private long _down = long.MaxValue;

    public StallingRelay(Func<int> server)
    {
        _server = server;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    /// <summary>The URL of the server's files through this.</summary>
    public string Files => $"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}/files/";

    /// <summary>Stalls when so many more bytes went to the server, or to the client.</summary>
    public void Stall(long up = long.MaxValue, long down = long.MaxValue)
    {
        lock (_lock)
        {
            (_up, _down) = (up, down);
            _stalled = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            _released = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    /// <summary>Until it stalls.</summary>
    public Task StalledAsync() => _stalled.Task.WaitAsync(TimeSpan.FromMinutes(5));

    /// <summary>Ends all connections, and lets new ones through.</summary>
    public void CutAndRelease()
    {
        lock (_lock)
        {
            (_up, _down) = (long.MaxValue, long.MaxValue);
            foreach (Socket socket in _open)
            {
                socket.Dispose();
            }

            _open.Clear();
            _released.TrySetResult();
        }
    }

    public async ValueTask DisposeAsync()
    {
        _listener.Dispose();
        CutAndRelease();
        await _accepting;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                Socket client = await _listener.AcceptSocketAsync();
                _ = RelayAsync(client);
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // No more connections are expected.
        }
    }

    private async Task RelayAsync(Socket client)
    {
        var server = new Socket(SocketType.Stream, ProtocolType.Tcp);
        lock (_lock)
        {
            _open.AddRange([client, server]);
        }

        try
        {
            await server.ConnectAsync(new IPEndPoint(IPAddress.Loopback, _server()));
            await Task.WhenAny(PumpAsync(client, server, up: true), PumpAsync(server, client, up: false));
        }
        catch (SocketException)
        {
            // The server is not there.
        }
        finally
        {
            client.Dispose();
            server.Dispose();
        }
    }

    private async Task PumpAsync(Socket from, Socket to, bool up)
    {
        try
        {
            byte[] buffer = new byte[64 * 1024];
            while (await from.ReceiveAsync(buffer) is > 0 and int length)
            {
                for (int at = 0; at < length;)
                {
                    int most = Take(up, length - at, out Task released);
                    if (most == 0)
                    {
                        _stalled.TrySetResult();
                        await released;
                        continue;
                    }

                    at += await to.SendAsync(buffer.AsMemory(at, most));
                }
            }
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // One end has gone; the other one sees the end of its connection.
        }
    }

    private int Take(bool up, int wanted, out Task released)
    {
        lock (_lock)
        {
            released = _released.Task;
            ref long left = ref up ? ref _up : ref _down;
            int most = (int)Math.Min(wanted, left);
            left -= left == long.MaxValue ? 0 : most;
            return most;
        }
    }
}

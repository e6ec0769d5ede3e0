using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Threading.Channels;

namespace Millrace.Testing;

/// <summary>
/// Stands between a client and a server on loopback, as a bad network would: delays, cuts, resets, throttles and stalls
/// connections by the plan that a test has for each.
/// </summary>
public sealed class TestRelay : IAsyncDisposable
{
    private const int PieceBytes = 16 * 1024;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _stop = new();
    private readonly ConcurrentBag<Task> _connections = [];
    private readonly Func<int, RelayPlan> _plan;
    private readonly Func<int> _target;
    private readonly Task _accepting;
    private readonly Passed _passedUp = new();
    private readonly Passed _passedDown = new();
    private int _count;
    private int _open;
    private int _maxOpen;
    private bool _happened;
    private long _up;
    private long _down;

    /// <summary>Begins to listen.</summary>
    /// <param name="target">The port of the server, asked for at each connection.</param>
    /// <param name="plan">What happens to connection 0, 1, ….</param>
    public TestRelay(Func<int> target, Func<int, RelayPlan>? plan = null)
    {
        _target = target;
        _plan = plan ?? (_ => RelayPlan.Clear);

        // The kernel receives ahead, and the client takes that for sent: 10 MB of it hid on a busy machine that the way is slow.
        _listener.Server.ReceiveBufferSize = 256 * 1024;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public Uri Address => new($"http://127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}");

    public Uri Files => new(Address, "/files/");

    /// <summary>Bytes delivered to the server.</summary>
    public long Up => Interlocked.Read(ref _up);

    /// <summary>Bytes delivered to the client.</summary>
    public long Down => Interlocked.Read(ref _down);

    /// <summary>Connections so far.</summary>
    public int Connections => Volatile.Read(ref _count);

    /// <summary>Connections that were open at once.</summary>
    public int MaxOpen => Volatile.Read(ref _maxOpen);

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
            Socket client = await _listener.AcceptSocketAsync(_stop.Token);
            RelayPlan plan = _plan(Interlocked.Increment(ref _count) - 1);
            _connections.Add(CarryAsync(client, plan.Once && Volatile.Read(ref _happened) ? RelayPlan.Clear : plan));
        }
    }

    private async Task CarryAsync(Socket client, RelayPlan plan)
    {
        using Socket here = client;
        using var there = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        int open = Interlocked.Increment(ref _open);
        InterlockedMax(ref _maxOpen, open);
        try
        {
            here.NoDelay = true;
            there.NoDelay = true;
            await there.ConnectAsync(new IPEndPoint(IPAddress.Loopback, _target()), end.Token);
            Passed passedUp = plan.Once ? _passedUp : new();
            Passed passedDown = plan.Once ? _passedDown : new();
            Task up = PumpAsync(here, there, plan, plan.CutUpAfter, plan.StallUpAfter, passedUp, bytes => Interlocked.Add(ref _up, bytes), end);
            Task down = PumpAsync(
                there, here, plan, plan.CutDownAfter, plan.StallDownAfter, passedDown, bytes => Interlocked.Add(ref _down, bytes), end);
            await Task.WhenAll(up, down);
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException or ObjectDisposedException)
        {
        }
        finally
        {
            Interlocked.Decrement(ref _open);
            if (plan.Reset)
            {
                here.LingerState = new LingerOption(true, 0);
                there.LingerState = new LingerOption(true, 0);
            }
        }
    }

    private async Task PumpAsync(
        Socket from,
        Socket to,
        RelayPlan plan,
        long? cutAfter,
        long? stallAfter,
        Passed passed,
        Action<int> count,
        CancellationTokenSource end)
    {
        var way = Channel.CreateBounded<(byte[] Piece, long Due)>(Math.Max(1, plan.Window / PieceBytes));
        Task delivering = DeliverOrEndAsync(way.Reader, to, plan, count, end);
        long most = Math.Min(cutAfter ?? long.MaxValue, stallAfter ?? long.MaxValue);
        try
        {
            while (true)
            {
                byte[] piece = new byte[PieceBytes];
                if (plan.Once && Volatile.Read(ref _happened))
                {
                    most = long.MaxValue;
                }

                int left = (int)Math.Clamp(most - passed.Bytes, 0, PieceBytes);
                int read = left == 0 ? 0 : await from.ReceiveAsync(piece.AsMemory(0, left), end.Token);
                if (read == 0)
                {
                    if (left == 0)
                    {
                        Volatile.Write(ref _happened, true);
                    }

                    way.Writer.Complete();
                    await delivering;
                    if (left == 0 && most == stallAfter)
                    {
                        await Task.Delay(Timeout.Infinite, end.Token);
                    }

                    if (left == 0)
                    {
                        await end.CancelAsync();
                    }
                    else
                    {
                        to.Shutdown(SocketShutdown.Send);
                    }

                    return;
                }

                Interlocked.Add(ref passed.Bytes, read);
                await way.Writer.WriteAsync(
                    (piece[..read], Stopwatch.GetTimestamp() + (long)(plan.Delay.TotalSeconds * Stopwatch.Frequency)), end.Token);
            }
        }
        catch
        {
            await end.CancelAsync();
            await delivering.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            throw;
        }
    }

    /// <summary>Where one side is gone, the other must not wait for room on the way.</summary>
    private static async Task DeliverOrEndAsync(
        ChannelReader<(byte[] Piece, long Due)> way, Socket to, RelayPlan plan, Action<int> count, CancellationTokenSource end)
    {
        try
        {
            await DeliverAsync(way, to, plan, count, end.Token);
        }
        catch
        {
            await end.CancelAsync();
            throw;
        }
    }

    private static async Task DeliverAsync(
        ChannelReader<(byte[] Piece, long Due)> way, Socket to, RelayPlan plan, Action<int> count, CancellationToken cancellationToken)
    {
        while (await way.WaitToReadAsync(cancellationToken))
        {
            while (way.TryPeek(out (byte[] Piece, long Due) next))
            {
                TimeSpan left = Stopwatch.GetElapsedTime(Stopwatch.GetTimestamp(), next.Due);
                if (left > TimeSpan.Zero)
                {
                    await Task.Delay(left, cancellationToken);
                }

                for (int sent = 0; sent < next.Piece.Length;)
                {
                    sent += await to.SendAsync(next.Piece.AsMemory(sent), cancellationToken);
                }

                count(next.Piece.Length);

                // Only now is there room for more on the way.
                _ = way.TryRead(out _);
                if (plan.BytesPerSecond is { } rate)
                {
                    await Task.Delay(TimeSpan.FromSeconds(next.Piece.Length / (double)rate), cancellationToken);
                }
            }
        }
    }

    private static void InterlockedMax(ref int target, int value)
    {
        int seen = Volatile.Read(ref target);
        while (value > seen && Interlocked.CompareExchange(ref target, value, seen) is var now && now != seen)
        {
            seen = now;
        }
    }

    /// <summary>Bytes that have passed in one direction: of one connection, or of all.</summary>
    private sealed class Passed
    {
        public long Bytes;
    }
}

using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using Millrace.Buffers;

namespace Millrace.Transfer;

/// <summary>
/// Sends what is written in large pieces: what comes while one is on its way goes out with the next. The first one goes at
/// once, so that nothing waits for company.
/// </summary>
/// <remarks>
/// One write at a time. A write that fails is told by the next one. What was written and not sent when this is disposed is
/// lost, as it is with a socket.
/// </remarks>
internal sealed class BulkSender : IThreadPoolWorkItem, IValueTaskSource, IDisposable
{
    private const int PieceBytes = BlockPool.BodyBytes;

    private readonly Stream _inner;
    private readonly Lock _lock = new();
    private NativeBlock _filling = BlockPool.Shared.Rent();
    private NativeBlock _sending = BlockPool.Shared.Rent();
    private ManualResetValueTaskSourceCore<bool> _room = new() { RunContinuationsAsynchronously = true };
    private int _filled;
    private bool _running;
    private bool _waits;
    private bool _disposed;
    private Exception? _failure;

    public BulkSender(Stream inner) => _inner = inner;

    /// <summary>Takes bytes; completes at once while there is room for them.</summary>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        int taken = Take(bytes.Span);
        return taken == bytes.Length ? default : WriteRestAsync(bytes[taken..]);
    }

    public void Dispose()
    {
        bool wakes;
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            _disposed = true;
            wakes = StopWaiting();
            if (!_running)
            {
                Release();
            }
        }

        if (wakes)
        {
            _room.SetResult(false);
        }
    }

    void IThreadPoolWorkItem.Execute() => _ = SendAsync();

    void IValueTaskSource.GetResult(short token) => _room.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _room.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _room.OnCompleted(continuation, state, token, flags);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteRestAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            await RoomAsync().ConfigureAwait(false);
            bytes = bytes[Take(bytes.Span)..];
        }
    }

    private ValueTask RoomAsync()
    {
        lock (_lock)
        {
            if (_filled < PieceBytes || _failure is not null || _disposed)
            {
                return default;
            }

            _room.Reset();
            _waits = true;
            return new ValueTask(this, _room.Version);
        }
    }

    private int Take(ReadOnlySpan<byte> bytes)
    {
        int count;
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            if (_failure is not null)
            {
                throw new IOException($"The connection failed: {_failure.Message}", _failure);
            }

            count = Math.Min(bytes.Length, PieceBytes - _filled);
            bytes[..count].CopyTo(_filling.Writable.Span[_filled..]);
            _filled += count;
            if (_running || _filled == 0)
            {
                return count;
            }

            _running = true;
        }

        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return count;
    }

    // A task is made only where the socket's buffer is full: nobody waits for it.
    private async Task SendAsync()
    {
        try
        {
            while (TryTurn(out int bytes))
            {
                await _inner.WriteAsync(_sending.Writable[..bytes]).ConfigureAwait(false);
            }
        }
        catch (Exception exception)
        {
            Fail(exception);
        }
    }

    /// <summary>Turns to what was written meanwhile.</summary>
    /// <returns>False when there is nothing, and sending ends until there is.</returns>
    private bool TryTurn(out int bytes)
    {
        bool wakes;
        lock (_lock)
        {
            bytes = _filled;
            if (bytes == 0 || _disposed)
            {
                _running = false;
                if (_disposed)
                {
                    Release();
                }

                return false;
            }

            (_filling, _sending) = (_sending, _filling);
            _filled = 0;
            wakes = StopWaiting();
        }

        if (wakes)
        {
            _room.SetResult(true);
        }

        return true;
    }

    private void Fail(Exception exception)
    {
        bool wakes;
        lock (_lock)
        {
            _failure = exception;
            _running = false;
            wakes = StopWaiting();
            if (_disposed)
            {
                Release();
            }
        }

        if (wakes)
        {
            _room.SetResult(false);
        }
    }

    private bool StopWaiting()
    {
        bool waited = _waits;
        _waits = false;
        return waited;
    }

    private void Release()
    {
        _filling.Release();
        _sending.Release();
    }
}

using System.Net.Sockets;
using System.Threading.Tasks.Sources;

namespace Millrace.Kestrel;

/// <summary>Waiting until a socket has something to receive: data, its end or an error. It may also end without a reason. Reused.</summary>
internal abstract class Readiness : IValueTaskSource, IThreadPoolWorkItem, IDisposable
{
    private ManualResetValueTaskSourceCore<bool> _source;
    private volatile bool _runsInline;

    /// <summary>Whether the thread that waits for events goes on, instead of one of the pool's.</summary>
    public bool RunsInline
    {
        get => _runsInline;
        set => _runsInline = value;
    }

    /// <returns>Whether there is a reason to wait: then await <see cref="Ended"/>.</returns>
    public bool Begin()
    {
        _source.Reset();
        return TryWait();
    }

    public ValueTask Ended => new(this, _source.Version);

    /// <summary>Begins to wait; <see cref="End"/> ends it.</summary>
    /// <returns>False if there may be something to receive.</returns>
    protected abstract bool TryWait();

    /// <summary>Called by whoever waits, when that has ended.</summary>
    protected virtual void ThrowIfFailed()
    {
    }

    /// <summary>The socket was closed from this side.</summary>
    public virtual void SocketClosed()
    {
    }

    public virtual void Dispose()
    {
    }

    protected void End()
    {
        if (_runsInline || Thread.CurrentThread.IsThreadPoolThread)
        {
            Execute();
        }
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    public void Execute()
    {
        ReceiveScheduler.Begin();
        _source.SetResult(true);
        ReceiveScheduler.End();
    }

    void IValueTaskSource.GetResult(short token)
    {
        _source.GetResult(token);
        ThrowIfFailed();
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}

/// <summary>The framework's way: an empty read.</summary>
/// <remarks>The framework ends it on any event of the socket, even on one older than the received bytes.</remarks>
internal sealed class EmptyRead : Readiness
{
    private readonly Socket _socket;
    private readonly Arguments _arguments;

    public EmptyRead(Socket socket)
    {
        _socket = socket;
        _arguments = new Arguments(this);
        _arguments.SetBuffer(Memory<byte>.Empty);
    }

    public override void Dispose()
    {
        _arguments.Dispose();
        base.Dispose();
    }

    protected override bool TryWait()
    {
        if (_socket.ReceiveAsync(_arguments))
        {
            return true;
        }

        ThrowIfFailed();
        return false;
    }

    protected override void ThrowIfFailed()
    {
        if (_arguments.SocketError != SocketError.Success)
        {
            throw new SocketException((int)_arguments.SocketError);
        }
    }

    private sealed class Arguments(EmptyRead read) : SocketAsyncEventArgs(true)
    {
        protected override void OnCompleted(SocketAsyncEventArgs e) => read.End();
    }
}

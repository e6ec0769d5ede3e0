using System.Net.Sockets;
using System.Threading.Tasks.Sources;

namespace Millrace.Kestrel;

/// <summary>An empty read, which ends when the socket has something to receive: data, its end or an error. Reused.</summary>
/// <remarks>
/// It may also end without a reason: the framework ends it on any event of the socket, even on one older than the received bytes.
/// </remarks>
internal sealed class Readiness : SocketAsyncEventArgs, IValueTaskSource, IThreadPoolWorkItem
{
    private readonly SocketConnection _connection;
    private ManualResetValueTaskSourceCore<bool> _source;

    public Readiness(SocketConnection connection)
        : base(true)
    {
        _connection = connection;
        SetBuffer(Memory<byte>.Empty);
    }

    /// <returns>Whether the read waits: then await <see cref="Ended"/>.</returns>
    public bool Begin(Socket socket)
    {
        _source.Reset();
        if (socket.ReceiveAsync(this))
        {
            return true;
        }

        ThrowIfFailed();
        return false;
    }

    public ValueTask Ended => new(this, _source.Version);

    void IValueTaskSource.GetResult(short token)
    {
        _source.GetResult(token);
        ThrowIfFailed();
    }

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    /// <remarks>Called on the thread that waits for the events of all sockets, if the framework is configured for that.</remarks>
    protected override void OnCompleted(SocketAsyncEventArgs e)
    {
        if (Thread.CurrentThread.IsThreadPoolThread || _connection.RunsInline)
        {
            Execute();
        }
        else
        {
            ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        }
    }

    void IThreadPoolWorkItem.Execute() => Execute();

    private void Execute()
    {
        ReceiveScheduler.Begin();
        _source.SetResult(true);
        ReceiveScheduler.End();
    }

    private void ThrowIfFailed()
    {
        if (SocketError != SocketError.Success)
        {
            throw new SocketException((int)SocketError);
        }
    }
}

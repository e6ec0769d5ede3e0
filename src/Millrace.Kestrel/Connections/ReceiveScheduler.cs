using System.IO.Pipelines;

namespace Millrace.Kestrel;

/// <summary>
/// Runs the reader of received data on the thread that received it, after that has begun to wait for more: a small request needs no
/// second thread, and the peer's end is still noticed while a handler blocks. While more is there to receive, the thread pool runs it.
/// </summary>
internal sealed class ReceiveScheduler : PipeScheduler
{
    public static readonly ReceiveScheduler Instance = new();

    [ThreadStatic]
    private static bool t_isReceiving;

    [ThreadStatic]
    private static Action<object?>? t_action;

    [ThreadStatic]
    private static object? t_state;

    [ThreadStatic]
    private static bool t_sendsAfter;

    [ThreadStatic]
    private static SocketOutput? t_flushed;

    /// <summary>Whether this thread waits for the events of many connections, and runs a request of one at the moment.</summary>
    public static bool RunsRequest => t_sendsAfter;

    public override void Schedule(Action<object?> action, object? state)
    {
        if (t_isReceiving && t_action is null)
        {
            (t_action, t_state) = (action, state);
            return;
        }

        System.Threading.ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);
    }

    /// <summary>From here to <see cref="End"/>, this thread receives for one connection.</summary>
    public static void Begin() => t_isReceiving = true;

    /// <summary>Runs the work scheduled meanwhile, as the thread's last step.</summary>
    public static void End()
    {
        t_isReceiving = false;
        if (Take(out object? state) is { } action)
        {
            if (Thread.CurrentThread.IsThreadPoolThread)
            {
                action(state);
            }
            else
            {
                RunAndSend(action, state);
            }
        }
    }

    /// <summary>Takes the output of the connection whose request this thread runs, to send it when the request's code has returned.</summary>
    /// <returns>False on a thread that runs none, or that has another output.</returns>
    public static bool TryTake(SocketOutput output)
    {
        if (!t_sendsAfter || t_flushed is not null)
        {
            return false;
        }

        t_flushed = output;
        return true;
    }

    /// <summary>Passes the scheduled work to the thread pool, because this thread has more to receive.</summary>
    public static void QueueScheduled()
    {
        if (Take(out object? state) is { } action)
        {
            System.Threading.ThreadPool.UnsafeQueueUserWorkItem(action, state, preferLocal: false);
        }
    }

    /// <remarks>The thread is not the pool's, so it runs only code that does not block: it alone sends flushed bytes, and soon.</remarks>
    private static void RunAndSend(Action<object?> action, object? state)
    {
        t_sendsAfter = true;
        action(state);
        t_sendsAfter = false;
        if (t_flushed is { } output)
        {
            t_flushed = null;
            output.SendInline();
        }
    }

    private static Action<object?>? Take(out object? state)
    {
        Action<object?>? action = t_action;
        state = t_state;
        t_action = null;
        t_state = null;
        return action;
    }
}

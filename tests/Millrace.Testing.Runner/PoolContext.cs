namespace Millrace.Testing.Runner;

/// <summary>
/// Runs a test's continuations on the thread pool. Without a context, xunit starts a thread for each continuation, which ends after it, and
/// Wine drops pending receives of a thread that ends.
/// </summary>
internal sealed class PoolContext : SynchronizationContext
{
    public override void Post(SendOrPostCallback d, object? state) =>
        ThreadPool.QueueUserWorkItem(
            static work =>
            {
                // The pool takes it off the thread again.
                SetSynchronizationContext(work.Context);
                work.Callback(work.State);
            },
            (Context: this, Callback: d, State: state),
            preferLocal: false);
}

namespace Millrace.Testing.Runner;

/// <summary>
/// Runs what a test awaits on the thread pool. Without a context, xunit starts a thread for each continuation, which ends after it, and
/// Wine drops what a thread that ends is still receiving.
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

namespace Millrace.Transfer;

/// <summary>What several connections do at once for one file.</summary>
internal static class ParallelWork
{
    /// <summary>Runs everything. The first that fails stops the others, and its exception is thrown, not to be tried again.</summary>
    public static async Task RunAsync(IEnumerable<Func<CancellationToken, Task>> work, CancellationToken cancellationToken)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task[] tasks = [.. work.Select(each => OrStopAsync(each, stop))];
        await Task.WhenAll(tasks).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        cancellationToken.ThrowIfCancellationRequested();

        // The one that failed first canceled the others.
        Task? failed = tasks.FirstOrDefault(task => task.IsFaulted) ?? tasks.FirstOrDefault(task => task.IsCanceled);
        await (failed ?? Task.CompletedTask).ConfigureAwait(false);
    }

    private static async Task OrStopAsync(Func<CancellationToken, Task> work, CancellationTokenSource stop)
    {
        // What opens and reads a file does so on the thread that calls.
        await Task.Yield();
        try
        {
            await work(stop.Token).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            await stop.CancelAsync().ConfigureAwait(false);
            if (exception is TransferException { IsTransient: true } tried)
            {
                throw tried.AsFinal();
            }

            throw;
        }
    }
}

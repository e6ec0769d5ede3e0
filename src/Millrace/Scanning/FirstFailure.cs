using System.Runtime.ExceptionServices;

namespace Millrace.Scanning;

/// <summary>
/// Work side by side on the thread pool: the first failure stops the rest and is thrown to the caller. Nothing runs any more
/// when the task has ended.
/// </summary>
internal static class FirstFailure
{
    public static async Task<T[]> RunAsync<T>(
        int count, int degree, Func<int, CancellationToken, ValueTask<T>> run, CancellationToken cancellationToken)
    {
        var results = new T[count];
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        ExceptionDispatchInfo? first = null;
        int next = -1;
        var running = new Task[Math.Min(count, degree)];
        for (int i = 1; i < running.Length; i++)
        {
            running[i] = Task.Run(RunSomeAsync, CancellationToken.None);
        }

        // Last, because it may keep this thread until it is done.
        running[0] = RunSomeAsync();

        // An exception of a callback registered with the token is ignored like any later failure.
        await Task.WhenAll(running).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (first is not null)
        {
            if (first.SourceException is OperationCanceledException)
            {
                // With the caller's own token, not the one that the delegates were given.
                cancellationToken.ThrowIfCancellationRequested();
            }

            first.Throw();
        }

        return results;

        // A worker that is done takes the next number: a busy processor delays the others only briefly.
        async Task RunSomeAsync()
        {
            while (Volatile.Read(ref first) is null && Interlocked.Increment(ref next) is var number && number < count)
            {
                await RunOneAsync(number).ConfigureAwait(false);
            }
        }

        async Task RunOneAsync(int number)
        {
            try
            {
                stop.Token.ThrowIfCancellationRequested();
                results[number] = await run(number, stop.Token).ConfigureAwait(false);
            }
            catch (Exception exception)
            {
                if (Interlocked.CompareExchange(ref first, ExceptionDispatchInfo.Capture(exception), null) is null)
                {
                    await stop.CancelAsync().ConfigureAwait(false);
                }
            }
        }
    }
}

using System.Runtime.CompilerServices;
using System.Threading.Channels;

namespace Millrace.Transfer;

/// <summary>Goes through a sequence on another thread, somewhat ahead of its reader, who is not kept waiting by a file system.</summary>
internal static class ReadAhead
{
    /// <summary>Elements that are handed over together: one by one, handing over would take longer than most elements do.</summary>
    private const int BatchElements = 128;

    private const int Batches = 4;

    /// <summary>Returns the elements of a sequence.</summary>
    /// <param name="elements">Runs on a thread of the pool, and is not run any more when the returned sequence has been disposed.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async IAsyncEnumerable<T> RunAsync<T>(IEnumerable<T> elements, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        var batches = Channel.CreateBounded<List<T>>(new BoundedChannelOptions(Batches) { SingleReader = true, SingleWriter = true });
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        Task running = Task.Run(() => FillAsync(elements, batches.Writer, stop.Token), CancellationToken.None);
        try
        {
            await foreach (List<T> batch in batches.Reader.ReadAllAsync(cancellationToken).ConfigureAwait(false))
            {
                foreach (T element in batch)
                {
                    yield return element;
                }
            }
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            await running.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private static async Task FillAsync<T>(IEnumerable<T> elements, ChannelWriter<List<T>> batches, CancellationToken stop)
    {
        try
        {
            var batch = new List<T>(BatchElements);
            foreach (T element in elements)
            {
                stop.ThrowIfCancellationRequested();
                batch.Add(element);
                if (batch.Count == BatchElements)
                {
                    await batches.WriteAsync(batch, stop).ConfigureAwait(false);
                    batch = new List<T>(BatchElements);
                }
            }

            await batches.WriteAsync(batch, stop).ConfigureAwait(false);
            batches.Complete();
        }
        catch (Exception exception)
        {
            // The reader throws it.
            batches.Complete(exception);
        }
    }
}

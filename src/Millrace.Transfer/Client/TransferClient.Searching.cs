using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <content>Finding files by name.</content>
public sealed partial class TransferClient
{
    /// <summary>Entries that a search finds at most.</summary>
    public const int MaxSearchEntries = 10_000;

    /// <summary>Finds files and folders below a folder by words in their names, each as soon as the server has found it, in no particular order.</summary>
    /// <param name="folder">The folder; <c>default</c> for the root.</param>
    /// <param name="text">Words that a name has to contain, in any order. Case and accents do not matter.</param>
    /// <param name="limit">Maximum entries, 1 to 10,000.</param>
    /// <param name="progress">Receives the progress of the search from time to time, and once when it is complete; null for none.</param>
    /// <param name="cancellationToken">Ends the search, on the server too.</param>
    /// <remarks>A connection that fails before the server has answered is retried; a search that breaks off later is not.</remarks>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>: there is no such folder; <see cref="TransferError.InvalidRequest"/>: the text has no word, or the
    /// server does not search; or it was refused, or failed for good.
    /// </exception>
    public async IAsyncEnumerable<RemoteEntry> SearchAsync(
        TransferName folder, string text, int limit = 1000, Action<SearchProgress>? progress = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(text);
        ArgumentOutOfRangeException.ThrowIfLessThan(limit, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(limit, MaxSearchEntries);
        TransferContext context = await ContextAsync(cancellationToken).ConfigureAwait(false);
        (IdleWatch watch, IAsyncEnumerator<SearchDocument> documents, bool hasMore) = await _retry.RunAsync(
            async (_, _) =>
            {
                IdleWatch begun = context.Watch(cancellationToken);
                IAsyncEnumerator<SearchDocument> found = context.Protocol.SearchAsync(folder, text, limit, begun).GetAsyncEnumerator(CancellationToken.None);
                try
                {
                    return (begun, found, await found.MoveNextAsync().ConfigureAwait(false));
                }
                catch
                {
                    await found.DisposeAsync().ConfigureAwait(false);
                    begun.Dispose();
                    throw;
                }
            },
            cancellationToken).ConfigureAwait(false);
        using (watch)
        {
            try
            {
                bool isComplete = false;
                for (int left = limit; hasMore && !isComplete; hasMore = !isComplete && await documents.MoveNextAsync().ConfigureAwait(false))
                {
                    SearchDocument document = documents.Current;
                    isComplete = document.Complete == true;
                    left -= document.Entries.Count;
                    if (left < 0)
                    {
                        throw Failures.Protocol(Call(), $"the server found more than the {limit} entries that were requested");
                    }

                    // The caller's time does not count as that of a dead connection.
                    watch.Pause();
                    foreach (ListingEntry entry in document.Entries)
                    {
                        yield return Read(entry, folder, context.Protocol.Kind);
                    }

                    progress?.Invoke(new SearchProgress(
                        Math.Max(0, document.Searched ?? 0), isComplete, document.More == true, Math.Max(0, document.Omitted ?? 0)));
                    watch.Touch();
                }

                if (!isComplete)
                {
                    throw Failures.Protocol(Call(), "the search ended too early");
                }
            }
            finally
            {
                await documents.DisposeAsync().ConfigureAwait(false);
            }
        }

        ProtocolCall Call() => new("Searching", folder.Value, context.Protocol.Kind);
    }
}

/// <summary>How far a search is.</summary>
/// <param name="Searched">Names that the server has looked at.</param>
/// <param name="IsComplete">Whether the search has ended.</param>
/// <param name="HasMore">At the end: whether the limit has left out entries.</param>
/// <param name="Omitted">At the end: entries that the server leaves out, with everything below them, because it may not read them or no request could name them.</param>
public readonly record struct SearchProgress(long Searched, bool IsComplete, bool HasMore, int Omitted);

using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>A part of a search's answer, the same for every protocol.</summary>
/// <param name="Entries">The results since the last one.</param>
/// <param name="Searched">Names that were looked at so far.</param>
/// <param name="IsComplete">Whether this is the end.</param>
/// <param name="HasMore">At the end: whether the limit has left out entries.</param>
/// <param name="Omitted">Entries that are left out so far, with everything below them.</param>
internal readonly record struct FoundNames(
    IReadOnlyList<FileEntry> Entries, long Searched, bool IsComplete, bool HasMore, int Omitted)
{
    /// <summary>Entries that are found if the request names no limit.</summary>
    private const int DefaultLimit = 1000;

    private const int MaxLimit = 10_000;

    /// <summary>How often a response reports progress: clients would take a longer silence for a broken connection.</summary>
    public static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(250);

    /// <summary>The limit of a request, 0 for the default.</summary>
    /// <exception cref="TransferException">It is negative, or too large.</exception>
    public static int CheckLimit(int limit, TransferName folder) =>
        limit == 0 ? DefaultLimit
        : limit is >= 1 and <= MaxLimit ? limit
        : throw Errors.Invalid($"The limit of a search is a number from 1 to {MaxLimit}.", folder.Value);

    /// <summary>Searches; returns a part when something was found, and otherwise at each interval.</summary>
    public static async IAsyncEnumerable<FoundNames> FindAsync(
        TransferGuard guard, IFileStore store, TransferName folder, string text, int limit,
        [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        int left = limit;
        SearchPage? last = null;
        long reportedAt = Stopwatch.GetTimestamp();
        await foreach (SearchPage page in guard.Limits.StepAsync(
            store.SearchAsync(new SearchFilesOptions { Folder = folder, Text = text }, cancellationToken), cancellationToken))
        {
            last = page;
            if (page.Entries.Count > left)
            {
                yield return new FoundNames([.. page.Entries.Take(left)], page.Searched, true, true, page.Omitted);
                yield break;
            }

            left -= page.Entries.Count;
            if (page.Entries.Count > 0 || Stopwatch.GetElapsedTime(reportedAt) >= Interval)
            {
                yield return new FoundNames(page.Entries, page.Searched, false, false, page.Omitted);
                reportedAt = Stopwatch.GetTimestamp();
            }
        }

        yield return new FoundNames([], last?.Searched ?? 0, true, false, last?.Omitted ?? 0);
    }
}

using System.Runtime.CompilerServices;

namespace Millrace.Transfer.S3;

/// <summary>Reads all files below a folder, with several lists at once. Used once, by one caller.</summary>
/// <remarks>
/// The lists of a range of keys follow one another, because a page begins after the last key of the page before. So what follows the first
/// page is divided into ranges: between the folders that the bucket names, or, in a folder without folders, between keys that seem
/// likely after those seen so far. While fewer lists run than may, ranges that turn out to be long are divided again.
/// Lists are begun only while the caller waits for a page.
/// </remarks>
internal sealed class KeyWalk(Bucket bucket, Keys keys, TransferName folder)
{
    /// <summary>Lists of a walk that run at once.</summary>
    /// <remarks>27,000 keys take about six times as long as one list instead of 28 times; services answer many more requests at once.</remarks>
    internal const int MaxLists = 8;

    /// <summary>Pages of a range after which it may be divided, so that few requests are made in vain.</summary>
    private const int PagesBeforeDivision = 4;

    /// <summary>Folders inside one another in which a place to divide a range is looked for.</summary>
    private const int MaxDescents = 4;

    private readonly string _prefix = keys.OfFolder(folder);

    /// <summary>Keys that one request returns at most.</summary>
    public int MaxKeys { get; init; } = 1000;

    /// <summary>Returns pages in no particular order: each file once, and each folder once that has a file in it.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>: there is no such folder.</exception>
    public async IAsyncEnumerable<WalkedPage> ReadAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        var waiting = new Queue<KeyRange>([new KeyRange(After: null, End: null, folder, PagesBeforeDivision - 1)]);
        var running = new List<Task<Step>>(MaxLists);
        try
        {
            while (true)
            {
                while (running.Count < MaxLists && waiting.TryDequeue(out KeyRange? range))
                {
                    bool isIdle = running.Count + waiting.Count + 1 < MaxLists;
                    running.Add(isIdle && range.Pages >= PagesBeforeDivision ? DivideAsync(range, end.Token) : ReadAsync(range, end.Token));
                }

                if (running.Count == 0)
                {
                    yield break;
                }

                Task<Step> done = await Task.WhenAny(running);
                running.Remove(done);
                Step step = await done;
                foreach (KeyRange range in step.Rest)
                {
                    waiting.Enqueue(range);
                }

                yield return step.Page;
            }
        }
        finally
        {
            await end.CancelAsync();
            Task all = Task.WhenAll(running);
            await all.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<Step> ReadAsync(KeyRange range, CancellationToken cancellationToken)
    {
        ListObjectsV2Response list = await ListAsync(_prefix, range, delimiter: null, cancellationToken);
        if (range.After is null && list.S3Objects.Count == 0 && !folder.IsRoot)
        {
            throw Errors.NoFolder(folder);
        }

        return ToStep(range, list, isLast: list.IsTruncated is not true || list.S3Objects.Count == 0);
    }

    private async Task<Step> DivideAsync(KeyRange range, CancellationToken cancellationToken)
    {
        string within = FolderOf(range);
        for (int i = 0; i < MaxDescents && HasEntered(range, within); i++)
        {
            ListObjectsV2Response list = await ListAsync(within, range, "/", cancellationToken);
            List<string> folders = [.. list.CommonPrefixes.Where(key => range.Has(key) && key != range.End && key != keys.Hidden)];
            if (folders.Count > 0)
            {
                return new Step(WalkedPage.Empty, range.Divide(folders, MaxLists));
            }

            // Whether a list names the folder that it begins in depends on the service.
            int slash = range.After!.IndexOf('/', within.Length);
            if (slash < 0)
            {
                // Only files, so it is a page of the range as well. The range may go on after this folder.
                Step step = ToStep(range, list, isLast: within == _prefix && list.IsTruncated is not true);
                return step with { Rest = [.. step.Rest.SelectMany(rest => rest.Divide(rest.Guess(within.Length, range.After), MaxLists))] };
            }

            within = range.After[..(slash + 1)];
        }

        return new Step(WalkedPage.Empty, [range with { Pages = 0 }]);
    }

    private async ValueTask<ListObjectsV2Response> ListAsync(
        string prefix, KeyRange range, string? delimiter, CancellationToken cancellationToken) => await bucket.ListAsync(
            new ListObjectsV2Request { Prefix = prefix, Delimiter = delimiter, StartAfter = range.After, MaxKeys = MaxKeys }, cancellationToken);

    private Step ToStep(KeyRange range, ListObjectsV2Response list, bool isLast)
    {
        List<S3Object> found = list.S3Objects;
        var files = new List<FileEntry>(found.Count);
        int omitted = 0;
        foreach (S3Object one in found)
        {
            if (!range.Has(one.Key))
            {
                continue;
            }

            if (keys.TryName(one.Key, out TransferName name))
            {
                files.Add(FileMetadata.ToEntry(name, one, digest: null));
            }
            else if (keys.IsOmitted(one.Key))
            {
                omitted++;
            }
        }

        TransferName last = range.Folder;
        var page = WalkedPage.Create(files, omitted, folder, ref last);
        string? after = found.Count > 0 ? keys.SkipHidden(found[^1].Key) : range.After;
        return isLast || after is null || (range.End is { } end && Keys.Compare(after, end) >= 0)
            ? new Step(page, [])
            : new Step(page, [range with { After = after, Folder = last, Pages = range.Pages + 1 }]);
    }

    /// <summary>The key of the folder that all of a range is in.</summary>
    private string FolderOf(KeyRange range)
    {
        int common = range.End is { } end ? range.After!.AsSpan().CommonPrefixLength(end) : 0;
        string shared = range.After![..common];
        return shared.Length > _prefix.Length ? shared[..Math.Max(_prefix.Length, shared.LastIndexOf('/') + 1)] : _prefix;
    }

    /// <summary>Whether a folder was returned already: then none of several ranges in it returns it again.</summary>
    private bool HasEntered(KeyRange range, string within) =>
        within.Length == _prefix.Length || keys.OfFolder(range.Folder).StartsWith(within, StringComparison.Ordinal);

    /// <param name="Page">What was read.</param>
    /// <param name="Rest">What is still to be read.</param>
    private readonly record struct Step(WalkedPage Page, IReadOnlyList<KeyRange> Rest);
}

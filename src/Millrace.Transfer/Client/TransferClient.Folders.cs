using System.Collections.Concurrent;

namespace Millrace.Transfer;

/// <content>Whole folders.</content>
public sealed partial class TransferClient
{
    /// <summary>Files of a folder that move at once.</summary>
    /// <remarks>Small ones are mostly waiting for answers and for disks; four keep both busy, and leave room for others.</remarks>
    private const int FilesAtOnce = 4;

    /// <summary>Uploads all files of a folder, several at once.</summary>
    /// <param name="path">The folder here. Links to folders are not followed; empty folders are not uploaded.</param>
    /// <param name="folder">The folder in the store; <c>default</c> for the root.</param>
    /// <param name="options">How; for each of them.</param>
    /// <param name="progress">Receives the progress of each file.</param>
    /// <param name="cancellationToken">Ends it; files that are finished stay.</param>
    /// <returns>The results, by name.</returns>
    /// <exception cref="AggregateException">Some failed, or a folder could not be read, each for its own reason; the others were uploaded.</exception>
    public Task<IReadOnlyList<TransferResult>> PutFolderAsync(
        string path, TransferName folder = default, PutOptions options = default,
        IProgress<FolderProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return MoveAllAsync(
            LocalFolder.Files(Path.GetFullPath(path), folder).Where(item => !item.IsLink).ToAsyncEnumerable(),
            progress,
            (item, report, token) => PutAsync(item.Path, item.Name, options with { Length = null }, report, token),
            static () => default,
            () => SmallFilesAtOnce,
            cancellationToken);
    }

    /// <summary>Downloads all files of a folder, several at once.</summary>
    /// <param name="folder">The folder in the store; <c>default</c> for the root.</param>
    /// <param name="path">The folder here; made if there is none. Nothing is written outside it, whatever the server lists.</param>
    /// <param name="options">How; for each of them. A range makes no sense here.</param>
    /// <param name="progress">Receives the progress of each file.</param>
    /// <param name="cancellationToken">Ends it; files that are finished stay.</param>
    /// <returns>The results, by name.</returns>
    /// <exception cref="AggregateException">
    /// Some failed, each for its own reason (on Windows, one is a name that is not portable), or the server left some out of its listing; the
    /// others were downloaded.
    /// </exception>
    public Task<IReadOnlyList<TransferResult>> GetFolderAsync(
        TransferName folder, string path, GetOptions options = default,
        IProgress<FolderProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentOutOfRangeException.ThrowIfNotEqual(options.Range, null, nameof(options));
        var local = new LocalFolder(path);
        OmittedEntries omitted = default;
        return MoveAllAsync(
            ListAsync(folder, recursive: true, count => omitted += count, cancellationToken)
                .Where(entry => !entry.IsFolder).Select(entry => local.ItemOf(entry.Name, folder) with { Length = entry.Length ?? long.MaxValue }),
            progress,
            (item, report, token) =>
            {
                local.Prepare(item.Path, item.Name);
                return GetAsync(item.Name, item.Path, options with { Length = item.Length }, report, token);
            },
            () => omitted,
            () => SmallDownloadsAtOnce,
            cancellationToken);
    }

    private static async Task<IReadOnlyList<TransferResult>> MoveAllAsync(
        IAsyncEnumerable<FolderItem> files, IProgress<FolderProgress>? progress,
        Func<FolderItem, IProgress<TransferProgress>?, CancellationToken, Task<TransferResult>> move,
        Func<OmittedEntries> omitted, Func<int> smallAtOnce, CancellationToken cancellationToken)
    {
        using var turns = new FileTurns(smallAtOnce, FilesAtOnce, FilesAtOnce);
        var results = new ConcurrentBag<TransferResult>();
        var failures = new ConcurrentBag<Exception>();
        await Parallel.ForEachAsync(
            files,
            new ParallelOptions { MaxDegreeOfParallelism = FileTurns.Most, CancellationToken = cancellationToken },
            async (item, token) =>
            {
                ItemProgress? report = progress is null ? null : new ItemProgress(item, progress);
                int turn = await turns.EnterAsync(item.Length <= SmallFileBytes && item.LinkTarget is null, token).ConfigureAwait(false);
                try
                {
                    // A name that no store takes is one file's failure, not that of all.
                    item.ThrowIfUnusable();
                    TransferResult result = await move(item, report, token).ConfigureAwait(false);
                    results.Add(result);
                    report?.Finish(result);
                }
                catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
                {
                    failures.Add(exception);
                    report?.Fail(exception);
                }
                finally
                {
                    turns.Leave(turn);
                }
            }).ConfigureAwait(false);
        if (omitted() is { Total: > 0 } missing)
        {
            failures.Add(new TransferException(
                TransferError.Failed, $"{missing.Total} entries of the folder were not downloaded, because they are not in the server's listing: {missing}.")
            {
                Omitted = missing.Total,
            });
        }

        return failures.IsEmpty
            ? [.. results.OrderBy(result => result.Name)]
            : throw new AggregateException(
                $"{failures.Count} of {failures.Count + results.Count} files failed; the others were transferred.", failures);
    }
}

using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <content>Deleted files.</content>
public sealed partial class TransferClient
{
    /// <summary>Lists deleted and replaced files of the server, the newest first.</summary>
    /// <param name="folder">A file, or the folder in which they were; <c>default</c> for all.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>: the server keeps no deleted files. Or it was refused otherwise, or failed for good.
    /// </exception>
    public async IAsyncEnumerable<TrashedFile> ListTrashAsync(
        TransferName folder = default, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        string? after = null;
        do
        {
            string? from = after;
            TrashDocument page = await RunAsync(
                (protocol, _, watch) => protocol.ListTrashAsync(folder, from, watch), cancellationToken).ConfigureAwait(false);
            foreach (TrashEntryDocument entry in page.Entries)
            {
                if (TransferName.TryParse(entry.Name, out TransferName name))
                {
                    yield return new TrashedFile(entry.Id, name, entry.IsFolder, entry.Length, entry.Deleted, entry.By, entry.IsReplaced);
                }
            }

            after = page.Next is { } next && (from is null || string.CompareOrdinal(next, from) < 0) ? next : null;
        }
        while (after is not null);
    }

    /// <summary>Gives a deleted file or folder its name again, or another one. Nothing is replaced.</summary>
    /// <param name="id">The <see cref="TrashedFile.Id"/>.</param>
    /// <param name="name">The new name; <c>default</c> for the one that it had.</param>
    /// <param name="cancellationToken">Ends it; whether it was restored is not known then.</param>
    /// <returns>The name that it has now.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>, <see cref="TransferError.AlreadyExists"/>, or it was refused otherwise, or failed for good.
    /// </exception>
    public Task<TransferName> RestoreAsync(string id, TransferName name = default, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        return RunAsync((protocol, _, watch) => protocol.RestoreAsync(id, name, watch), cancellationToken);
    }

    /// <summary>Deletes files in the trash for good.</summary>
    /// <param name="folder">A file, or the folder in which they were; <c>default</c> for all.</param>
    /// <param name="olderThan">Only those that were deleted so long ago; null for all.</param>
    /// <param name="cancellationToken">Ends it; some may have been deleted then.</param>
    /// <returns>How many files and folders were deleted.</returns>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public Task<int> EmptyTrashAsync(
        TransferName folder = default, TimeSpan? olderThan = null, CancellationToken cancellationToken = default) =>
        RunAsync((protocol, _, watch) => protocol.EmptyTrashAsync(folder, olderThan, watch), cancellationToken);
}

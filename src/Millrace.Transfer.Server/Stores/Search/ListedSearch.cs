using System.Runtime.CompilerServices;

namespace Millrace.Transfer.Server;

/// <summary>Searches and counts with a store's listings only.</summary>
internal static class ListedSearch
{
    public static async IAsyncEnumerable<SearchPage> SearchAsync(
        IFileStore store, SearchFilesOptions options, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        NameQuery query = NameQuery.Parse(options.Text ?? "");
        await foreach (SearchPage page in WalkAsync(store, options.Folder, cancellationToken).SearchAsync(query, cancellationToken))
        {
            yield return page;
        }
    }

    public static IAsyncEnumerable<FolderUsage> MeasureAsync(IFileStore store, TransferName folder, CancellationToken cancellationToken) =>
        WalkAsync(store, folder, cancellationToken).MeasureAsync(cancellationToken);

    private static async IAsyncEnumerable<WalkedPage> WalkAsync(
        IFileStore store, TransferName folder, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        // Names are in order, so that a folder's files are beside one another.
        TransferName last = folder;
        TransferName after = default;
        do
        {
            FilePage page = await store.ListAsync(
                new ListFilesOptions { Folder = folder, Recursive = true, OmitDigests = true, After = after }, cancellationToken);
            after = page.Next;
            yield return WalkedPage.Create(page.Entries, page.Omitted.Total, folder, ref last);
        }
        while (!after.IsRoot);
    }
}

namespace Millrace.Transfer.Server;

/// <summary>Listing.</summary>
public sealed partial class LocalFileStore
{
    /// <inheritdoc/>
    /// <remarks>
    /// Takes memory for a page and not for a folder, however large; a page of a large folder reads all its names. Links to
    /// files and folders of the store are listed as these; a recursive listing does not go into linked folders, which could
    /// lead in circles.
    /// </remarks>
    public async ValueTask<FilePage> ListAsync(ListFilesOptions options, CancellationToken cancellationToken)
    {
        // Reading folders is not for the thread of a request.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using StoreFolder folder = _tree.TryOpenFolder(options.Folder) ?? throw StoreErrors.NoFolder(options.Folder);
        return await new FileLister(_tree, _watch, _digests, options)
            .ListAsync(folder, cancellationToken)
            .ConfigureAwait(false);
    }
}

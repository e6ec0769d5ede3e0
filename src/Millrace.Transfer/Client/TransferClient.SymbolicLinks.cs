namespace Millrace.Transfer;

/// <content>Symbolic links, which a server with a folder keeps as such.</content>
public sealed partial class TransferClient
{
    /// <summary>Makes a symbolic link on the server, in the place of a file or a link if there is one.</summary>
    /// <param name="name">Its name. Missing folders are created.</param>
    /// <param name="target">
    /// The target: a relative path with slashes that stays in the folder that the caller may use, with <c>..</c> at its beginning only. It need
    /// not exist.
    /// </param>
    /// <param name="precondition">The condition on the name.</param>
    /// <param name="cancellationToken">Ends it; whether the link was made is not known then.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Forbidden"/>: it would lead out; <see cref="TransferError.InvalidRequest"/>: the server keeps no links;
    /// <see cref="TransferError.ProtocolNotOffered"/>: it does not speak HTTP.
    /// </exception>
    public async Task PutSymbolicLinkAsync(
        TransferName name, string target, WritePrecondition precondition = default, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(name);
        ArgumentException.ThrowIfNullOrEmpty(target);
        await OverHttpOnlyAsync(
            async (http, watch) =>
            {
                await http.PutSymbolicLinkAsync(name, target, precondition, watch).ConfigureAwait(false);
                return true;
            },
            cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Deletes a symbolic link, and not its target.</summary>
    /// <param name="name">The link.</param>
    /// <param name="precondition">The condition on it: on the tag that listings of links have.</param>
    /// <param name="cancellationToken">Ends it; whether it was deleted is not known then.</param>
    /// <returns>False if there was no link of this name.</returns>
    /// <exception cref="TransferException">It was refused, or failed for good.</exception>
    public async Task<bool> DeleteSymbolicLinkAsync(
        TransferName name, WritePrecondition precondition = default, CancellationToken cancellationToken = default)
    {
        ThrowIfRoot(name);
        return await OverHttpOnlyAsync(
            (http, watch) => http.DeleteSymbolicLinkAsync(name, precondition, watch), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>A link as it is now; null if there is none.</summary>
    internal async ValueTask<RemoteEntry?> FindSymbolicLinkAsync(TransferName name, CancellationToken cancellationToken)
    {
        try
        {
            // A name that begins with another one follows it.
            await foreach (RemoteEntry entry in ListAsync(
                new ListOptions { Folder = name.Folder, SymbolicLinks = true, Prefix = name.FileName }, cancellationToken).ConfigureAwait(false))
            {
                return entry.Name == name && entry.LinkTarget is not null ? entry : null;
            }
        }
        catch (TransferException exception) when (exception.Error == TransferError.NotFound)
        {
            // Not even its folder.
        }

        return null;
    }

    private Task<ListingDocument> ListLinksAsync(ListOptions options, string? after, bool digests, CancellationToken cancellationToken) => OverHttpOnlyAsync(
        (http, watch) => http.ListAsync(options, after, digests, watch), cancellationToken);

    private async Task<T> OverHttpOnlyAsync<T>(Func<HttpProtocolClient, IdleWatch, Task<T>> send, CancellationToken cancellationToken)
    {
        bool isSent = false;
        T? result = await OverHttpAsync(
            (http, watch) =>
            {
                isSent = true;
                return send(http, watch);
            },
            cancellationToken).ConfigureAwait(false);
        return isSent ? result! : throw new TransferException(
            TransferError.ProtocolNotOffered, "Symbolic links are moved over HTTP only, which this server does not speak, or it is none of Millrace.");
    }
}

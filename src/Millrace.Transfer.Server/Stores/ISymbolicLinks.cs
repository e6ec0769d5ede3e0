namespace Millrace.Transfer.Server;

/// <summary>A store that keeps symbolic links as links. Following them is another matter: see docs/store.md.</summary>
internal interface ISymbolicLinks
{
    /// <summary>Makes a link durably, in the place of a file or a link if there is one.</summary>
    /// <param name="name">Its name. Missing folders are created; none of them may be a link.</param>
    /// <param name="target">The target: relative, and in the folder that the caller may use.</param>
    /// <param name="precondition">The condition on the name, and on the tag of a link as listings have it.</param>
    /// <param name="cancellationToken">Until it begins to be made.</param>
    /// <returns>The link as listings have it, and whether nothing had the name before.</returns>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.Forbidden"/>: it would lead out, or its folder is behind a link; <see cref="TransferError.AlreadyExists"/>: a folder
    /// has the name; <see cref="TransferError.PreconditionFailed"/>.
    /// </exception>
    ValueTask<(StoredFile Link, bool IsNew)> CreateSymbolicLinkAsync(
        TransferName name, string target, WritePrecondition precondition, CancellationToken cancellationToken);

    /// <summary>Deletes a link, durably.</summary>
    /// <returns>False if there is no link of this name.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.PreconditionFailed"/>.</exception>
    ValueTask<bool> DeleteSymbolicLinkAsync(TransferName name, WritePrecondition precondition, CancellationToken cancellationToken);
}

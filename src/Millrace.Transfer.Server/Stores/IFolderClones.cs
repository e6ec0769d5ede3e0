namespace Millrace.Transfer.Server;

/// <summary>A store that publishes a new version of a whole folder in one step.</summary>
internal interface IFolderClones
{
    /// <summary>Makes a second folder of the same files, or finds the one that was made of this version of the folder before.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="clone">The beginning of the second folder's name: the version follows it.</param>
    /// <param name="cancellationToken">Ends it; nothing is left then.</param>
    /// <exception cref="TransferException">
    /// <see cref="TransferError.NotFound"/>; <see cref="TransferError.InvalidRequest"/>: the folder has something that cannot be cloned.
    /// </exception>
    ValueTask<ClonedFolder> CloneFolderAsync(TransferName folder, TransferName clone, CancellationToken cancellationToken);

    /// <summary>Gives two folders each other's name.</summary>
    /// <param name="folder">One folder.</param>
    /// <param name="other">The other one.</param>
    /// <param name="precondition">The version that <paramref name="folder"/> must have.</param>
    /// <param name="cancellationToken">Until it begins.</param>
    /// <exception cref="TransferException"><see cref="TransferError.NotFound"/>; <see cref="TransferError.PreconditionFailed"/>.</exception>
    ValueTask ExchangeFoldersAsync(
        TransferName folder, TransferName other, WritePrecondition precondition, CancellationToken cancellationToken);
}

/// <summary>A second folder of the same files.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Tag">The version of the folder that it was made of.</param>
/// <param name="IsNew">Whether it was made now.</param>
internal readonly record struct ClonedFolder(TransferName Name, EntityTag Tag, bool IsNew);

namespace Millrace.Transfer.Server;

/// <summary>
/// Small documents that a store keeps beside its files, where no client sees them: locks, and the properties that WebDAV clients set.
/// </summary>
/// <remarks>All members can be called by any number of threads at once.</remarks>
public interface IStoreDocuments
{
    /// <summary>Whether other servers change the documents too, so that a document read a second ago may be out of date.</summary>
    bool IsShared { get; }

    /// <summary>Reads a document.</summary>
    /// <param name="key">Parts with slashes between them, none of them empty; letters are not compared without regard to case.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Null if there is none.</returns>
    ValueTask<StoreDocument?> ReadAsync(string key, CancellationToken cancellationToken);

    /// <summary>Writes a document in the place of one version of it, in one step.</summary>
    /// <param name="key">As for <see cref="ReadAsync"/>.</param>
    /// <param name="content">Its bytes; 4 MiB at most.</param>
    /// <param name="version">The version that is replaced; null if there must be no document.</param>
    /// <param name="isDurable">Whether it has to survive a failure of the machine, and not only of the process.</param>
    /// <param name="cancellationToken">Until it begins to be written.</param>
    /// <returns>The new version; null if another version is there, and nothing was written.</returns>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidName"/>: the key is too long for the store.</exception>
    ValueTask<string?> TryWriteAsync(
        string key, ReadOnlyMemory<byte> content, string? version, bool isDurable, CancellationToken cancellationToken);

    /// <summary>Deletes a document, if there is one.</summary>
    ValueTask DeleteAsync(string key, CancellationToken cancellationToken);

    /// <summary>The keys that begin with a text, in no particular order.</summary>
    /// <param name="prefix">The first parts of the keys, with a slash at the end.</param>
    /// <param name="cancellationToken">Ends the listing.</param>
    IAsyncEnumerable<string> ListAsync(string prefix, CancellationToken cancellationToken);
}

/// <summary>A document of <see cref="IStoreDocuments"/>.</summary>
/// <param name="Content">Its bytes.</param>
/// <param name="Version">Which version it is.</param>
public sealed record StoreDocument(ReadOnlyMemory<byte> Content, string Version);

namespace Millrace.Transfer.Server;

/// <summary>
/// Small documents that a store keeps beside its files, where no client's name leads. A document is replaced only in the version that was
/// read, so that any number of servers and programs can change it at once.
/// </summary>
/// <remarks>
/// All members can be called by any number of threads at once. Completed writes are durable. Failures are <see cref="TransferException"/>s.
/// </remarks>
public interface IRecordStore
{
    /// <summary>Longest name in characters; it has lower-case letters and digits only.</summary>
    internal const int MaxNameLength = 64;

    /// <summary>Reads a document.</summary>
    /// <returns>Null if there is none.</returns>
    ValueTask<StoredRecord?> ReadAsync(string name, CancellationToken cancellationToken);

    /// <summary>Writes a document in the place of one version of it.</summary>
    /// <param name="name">The document.</param>
    /// <param name="content">Its new bytes.</param>
    /// <param name="tag">The version that it replaces; null if there must be none.</param>
    /// <param name="cancellationToken">Until it begins to be written.</param>
    /// <returns>False if another version is there, or none; nothing was written then.</returns>
    ValueTask<bool> TryReplaceAsync(string name, ReadOnlyMemory<byte> content, string? tag, CancellationToken cancellationToken);

    /// <summary>Deletes a document, whatever its version.</summary>
    /// <returns>False if there was none, as far as the store knows.</returns>
    ValueTask<bool> DeleteAsync(string name, CancellationToken cancellationToken);

    /// <summary>The names of all documents, in no particular order.</summary>
    IAsyncEnumerable<string> ListAsync(CancellationToken cancellationToken);
}

/// <summary>One version of a document.</summary>
/// <param name="Content">Its bytes.</param>
/// <param name="Tag">Names the version.</param>
public sealed record StoredRecord(ReadOnlyMemory<byte> Content, string Tag);

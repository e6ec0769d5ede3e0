namespace Millrace.Transfer.Server;

/// <summary>Puts files into an archive, one after the other. Disposing it writes the archive's end.</summary>
internal interface IArchiveWriter : IAsyncDisposable
{
    /// <summary>Adds a file.</summary>
    ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken);

    /// <summary>Adds a text that is not a file of the store.</summary>
    ValueTask AddTextAsync(string path, string text, CancellationToken cancellationToken);
}

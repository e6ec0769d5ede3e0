namespace Millrace.Transfer.Server;

/// <summary>Puts files into an archive, one after the other. Disposing it writes the archive's end.</summary>
internal interface IArchiveWriter : IAsyncDisposable
{
    /// <summary>Adds a file.</summary>
    /// <param name="path">Its path in the archive.</param>
    /// <param name="reader">Its content; not disposed here.</param>
    /// <param name="cancellationToken">Ends the copying; the archive is of no use then.</param>
    ValueTask AddAsync(string path, StoredFileReader reader, CancellationToken cancellationToken);
}

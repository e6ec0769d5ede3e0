using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>One version of a file, open for reading. Disposing it closes the file; readers that it gave must be completed before.</summary>
public abstract class StoredFileReader : IAsyncDisposable
{
    /// <summary>What it is.</summary>
    public abstract StoredFile File { get; }

    /// <summary>Reads a part of it; any number, one after the other or at once.</summary>
    /// <param name="range">The part, within the file.</param>
    /// <returns>A pipe of exactly these bytes. The caller completes it.</returns>
    public abstract PipeReader Read(ByteRange range);

    /// <inheritdoc/>
    public abstract ValueTask DisposeAsync();
}

using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>
/// The descriptions of files that were asked for lately, so that a hot file's digest is not read, nor its tag computed, for every request.
/// Thread-safe.
/// </summary>
/// <remarks>Valid as a record of <see cref="DigestRecords"/> is: while the facts of the file are the same, and they can be trusted.</remarks>
internal sealed class KnownFiles
{
    /// <summary>Less than 2 MiB with names of usual length.</summary>
    private const int MaxFiles = 4096;

    private readonly ConcurrentDictionary<string, (FileFacts Facts, StoredFile File)> _files = new(StringComparer.Ordinal);

    public StoredFile? Find(TransferName name, in FileFacts facts) =>
        _files.TryGetValue(name.Value, out (FileFacts Facts, StoredFile File) known) && known.Facts == facts ? known.File : null;

    public void Add(StoredFile file, in FileFacts facts)
    {
        // Whatever is hot is back at once.
        if (_files.Count >= MaxFiles)
        {
            _files.Clear();
        }

        _files[file.Name.Value] = (facts, file);
    }
}

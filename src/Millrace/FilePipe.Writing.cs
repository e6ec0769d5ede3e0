using Millrace.Writing;

namespace Millrace;

/// <summary>Writing.</summary>
public static partial class FilePipe
{
    /// <summary>Begins a file, which has its name once <see cref="FilePipeWriter.CommitAsync"/> says so.</summary>
    /// <param name="path">
    /// The file, relative to the current folder or absolute. A file that has the name is replaced by the commit and is as
    /// it was until then; where the name is a link, what it leads to. Its permissions and owner are kept, its ACLs and
    /// extended attributes are not.
    /// </param>
    /// <param name="options">How to write it; the default is a good choice.</param>
    /// <returns>A writer that owns the file. Commit it, or dispose it to leave nothing behind.</returns>
    /// <remarks>
    /// Until then the bytes are in a file beside it that <see cref="CleanUp"/> recognises if the process is killed.
    /// </remarks>
    /// <exception cref="FilePipeException">
    /// The file cannot be created, or nothing could be published under that name: see <see cref="FilePipeException.Error"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or holds a null character.</exception>
    public static FilePipeWriter Create(string path, FileWriteOptions options = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return WriterFactory.Create(path, options);
    }

    /// <summary>Removes what writers that were killed have left in a folder. Thread-safe.</summary>
    /// <param name="folder">The folder; the ones in it are not looked into.</param>
    /// <returns>How many files were removed.</returns>
    /// <remarks>
    /// Only files with a name that <see cref="Create"/> makes up, and that nobody holds open: a writer that is at work,
    /// in this process or another of this machine, keeps a lock on its file. On a network file system without locks call
    /// this only while nobody writes there.
    /// </remarks>
    /// <exception cref="FilePipeException">The folder does not exist or may not be read.</exception>
    public static int CleanUp(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        return StagedCleaner.Clean(folder);
    }
}

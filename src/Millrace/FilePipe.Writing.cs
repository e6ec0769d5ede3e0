using Millrace.Appending;
using Millrace.Writing;

namespace Millrace;

/// <content>Writing.</content>
public static partial class FilePipe
{
    /// <summary>Creates a file that appears under its name when <see cref="FilePipeWriter.CommitAsync(CancellationToken)"/> completes.</summary>
    /// <param name="path">
    /// The file, relative to the current folder or absolute. The commit replaces a file of that name, which is unchanged
    /// until then; a link is followed. Its permissions and owner are kept, its ACLs and
    /// extended attributes are not.
    /// </param>
    /// <param name="options">How to write it; the default is a good choice.</param>
    /// <returns>A writer that owns the file. Commit it, or dispose it to discard the written bytes.</returns>
    /// <remarks>
    /// Until the commit the bytes are in a file beside it that <see cref="CleanUp"/> recognises if the process is killed.
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

    /// <summary>Continues a file that was begun before, perhaps by a process that was killed, or begins it.</summary>
    /// <param name="partPath">
    /// The unfinished file, under a name that you choose. It is created if there is none. Writes are appended, starting at
    /// <see cref="FilePipeWriter.Position"/>.
    /// </param>
    /// <param name="path">
    /// The name that a commit gives it, on the same file system; as for <see cref="Create"/>.
    /// </param>
    /// <param name="options">
    /// How to write it. <see cref="WriteStrategy.Direct"/> is <see cref="WriteStrategy.Buffered"/> here. With
    /// <see cref="FileWriteOptions.ComputeSha256"/> the commit reads the earlier bytes.
    /// </param>
    /// <returns>
    /// A writer that holds the unfinished file alone. Commit it, or dispose it: then the file stays, with all that was accepted.
    /// </returns>
    /// <remarks>
    /// <see cref="FilePipeWriter.FlushToDeviceAsync"/> makes the bytes survive a machine failure; a killed process
    /// loses only unflushed bytes. If you give up for good, delete the unfinished file.
    /// </remarks>
    /// <exception cref="FilePipeException">
    /// As <see cref="Create"/>; <see cref="FilePipeError.Sharing"/>: another writer is continuing it. The commit:
    /// <see cref="FilePipeError.CrossDevice"/> when the names are on different file systems.
    /// </exception>
    /// <exception cref="ArgumentException">A path is empty or holds a null character.</exception>
    public static FilePipeWriter Resume(string partPath, string path, FileWriteOptions options = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(partPath);
        ArgumentException.ThrowIfNullOrEmpty(path);
        return WriterFactory.Resume(partPath, path, options);
    }

    /// <summary>Removes what writers that were killed have left in a folder. Thread-safe.</summary>
    /// <param name="folder">The folder; the ones in it are not looked into.</param>
    /// <returns>How many files and links were removed.</returns>
    /// <remarks>
    /// Only files with a name that <see cref="Create"/> makes up, and that are not open: a writer that is at work,
    /// in this process or another of this machine, keeps a lock on its file. On a network file system without locks call
    /// this only while there is no writer. On Unix also symbolic links of such a name, which Millrace.Transfer makes; they are not followed.
    /// </remarks>
    /// <exception cref="FilePipeException">The folder does not exist or may not be read.</exception>
    public static int CleanUp(string folder)
    {
        ArgumentException.ThrowIfNullOrEmpty(folder);
        return StagedCleaner.Clean(folder);
    }

    /// <summary>Opens a file for appending, and creates it if there is none. For logs; see docs/append.md.</summary>
    /// <param name="path">The file, relative to the current folder or absolute; a link is followed.</param>
    /// <param name="options">How to open and write it; the default is a good choice.</param>
    /// <returns>
    /// A writer. Several of one file share it: open one for each thread or task that appends. Complete or dispose it,
    /// which flushes the rest.
    /// </returns>
    /// <remarks>
    /// <para>
    /// The bytes of one flush are appended as one contiguous piece, however long, and never before that flush. By default
    /// a flush completes when the device has the piece; flushes of several writers share one wait for it.
    /// </para>
    /// <para>
    /// A flush that is canceled ends its wait alone: its piece is still appended, once, and the next flush waits for it. A
    /// flush that fails has appended nothing; the bytes stay in <see cref="FileAppendWriter.UnflushedBytes"/> and the next
    /// flush tries them again: flush again, do not write them again. When the device itself failed
    /// (<see cref="FilePipeError.WriteFailed"/> of a flush), every later durable flush fails too, until all writers of
    /// the file are closed.
    /// </para>
    /// <para>
    /// The end of the file is looked at by the first writer of the process that opens it. Thread-safe; a single writer is
    /// not.
    /// </para>
    /// </remarks>
    /// <exception cref="FilePipeException">
    /// The file cannot be opened or created, or ends with an incomplete record: see <see cref="FilePipeException.Error"/>.
    /// </exception>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> is empty or holds a null character, or the options say twice, or not, where records end.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// <see cref="FileAppendOptions.FindEnd"/> returned an offset that the file does not have.
    /// </exception>
    public static FileAppendWriter Append(string path, FileAppendOptions options = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return AppendRegistry.Open(path, options);
    }
}

using Millrace.Appending;

namespace Millrace;

/// <summary>Appending.</summary>
public static partial class FilePipe
{
    /// <summary>Opens a file for appending, and creates it if there is none. For logs; see docs/append.md.</summary>
    /// <param name="path">The file, relative to the current folder or absolute; where the name is a link, what it leads to.</param>
    /// <param name="options">How to open and write it; the default is a good choice.</param>
    /// <returns>
    /// A writer. Several of one file share it: open one for each thread or task that appends. Complete or dispose it,
    /// which flushes what is left.
    /// </returns>
    /// <remarks>
    /// <para>
    /// What one flush hands over is appended as one unbroken piece, however long, and never before that flush. By default
    /// a flush completes when the device has the piece; flushes of several writers share one wait for it.
    /// </para>
    /// <para>
    /// A flush that is canceled ends its wait alone: its piece is still appended, once, and the next flush waits for it. A
    /// flush that fails has appended nothing; the bytes stay in <see cref="FilePipeWriter.UnflushedBytes"/> and the next
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
    public static FilePipeWriter Append(string path, FileAppendOptions options = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        return AppendRegistry.Open(path, options);
    }
}

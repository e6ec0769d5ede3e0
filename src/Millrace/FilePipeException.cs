namespace Millrace;

/// <summary>A failure of a file pipe, with the file and the place in it.</summary>
public sealed class FilePipeException : IOException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="error">What went wrong.</param>
    /// <param name="message">The operation, the error and a remedy.</param>
    /// <param name="path">The file, as it was given to <see cref="FilePipe"/>; empty for a handle without a name.</param>
    /// <param name="offset">Where in the file, in bytes from its start.</param>
    /// <param name="innerException">The system's own error, where there is one.</param>
    public FilePipeException(
        FilePipeError error, string message, string path, long offset, Exception? innerException = null)
        : base(message, innerException)
    {
        Error = error;
        Path = path;
        Offset = offset;
        if (innerException is not null)
        {
            HResult = innerException.HResult;
        }
    }

    /// <summary>What went wrong.</summary>
    public FilePipeError Error { get; }

    /// <summary>The file, as it was given to <see cref="FilePipe"/>; empty for a handle without a name.</summary>
    public string Path { get; }

    /// <summary>Where in the file, in bytes from its start. 0 for a file that could not be opened.</summary>
    public long Offset { get; }
}

/// <summary>Why a file pipe failed.</summary>
public enum FilePipeError
{
    /// <summary>The system refused for a reason that has no separate value; see the inner exception.</summary>
    Failed,

    /// <summary>The file, or a folder of its path, does not exist.</summary>
    NotFound,

    /// <summary>The name is a folder's.</summary>
    IsDirectory,

    /// <summary>The process may not read the file.</summary>
    AccessDenied,

    /// <summary>Another process holds the file in a way that excludes this use of it.</summary>
    Sharing,

    /// <summary>The file became shorter while it was read.</summary>
    Truncated,

    /// <summary>The file was modified while it was read (see <see cref="ChangeDetection"/>).</summary>
    Changed,

    /// <summary>The system reported an error while reading, such as a failing disk.</summary>
    ReadFailed,

    /// <summary>
    /// The caller examined <see cref="FileReadOptions.MaxBufferedBytes"/> without consuming any. Nothing is lost: the
    /// reader can go on once some of it is consumed.
    /// </summary>
    BufferLimit,

    /// <summary>The device is full.</summary>
    NoSpace,

    /// <summary>The user's quota of the file system is used up.</summary>
    QuotaExceeded,

    /// <summary>The file would become longer than the file system or the process' limit (<c>ulimit -f</c>) allows.</summary>
    FileTooLarge,

    /// <summary>Something has the name already, and the options ask for a new one.</summary>
    NameTaken,

    /// <summary>The name or the path is longer than the file system allows.</summary>
    NameTooLong,

    /// <summary>The file is marked read-only, or the file system is mounted so.</summary>
    ReadOnly,

    /// <summary>The name is on another device than its folder, as a mount point is: nothing can be renamed over it.</summary>
    CrossDevice,

    /// <summary>The system reported an error while writing or flushing. What reached the device is not known.</summary>
    WriteFailed,

    /// <summary>The file ends with an incomplete record, which begins at <see cref="FilePipeException.Offset"/>.</summary>
    TornTail,

    /// <summary>A copy was read again and differs from its source.</summary>
    NotIdentical,

    /// <summary>Source and destination of a copy are the same file, by another name or a link perhaps.</summary>
    SameFile,
}

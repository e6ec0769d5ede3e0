namespace Millrace;

/// <summary>Why a file pipe failed.</summary>
public enum FilePipeError
{
    /// <summary>The system refused for a reason without a value of its own; see the inner exception.</summary>
    Failed,

    /// <summary>There is no file of that name, or no such folder on the way to it.</summary>
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

    /// <summary>A copy was read again and is not what was copied.</summary>
    NotIdentical,

    /// <summary>Source and destination of a copy are the same file, by another name or a link perhaps.</summary>
    SameFile,
}

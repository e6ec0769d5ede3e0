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
}

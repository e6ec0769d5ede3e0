using Microsoft.Win32.SafeHandles;
using Millrace.Sources;

namespace Millrace;

/// <summary>Opens files as pipes. Thread-safe.</summary>
public static partial class FilePipe
{
    /// <summary>Opens a file for reading.</summary>
    /// <param name="path">
    /// The file, relative to the current folder or absolute. A FIFO without a writer is waited for, as by any program
    /// that opens it.
    /// </param>
    /// <param name="options">How to read it; the default is a good choice.</param>
    /// <returns>A reader that owns the file. Complete or dispose it.</returns>
    /// <exception cref="FilePipeException">
    /// The file could not be opened: see <see cref="FilePipeException.Error"/>.
    /// </exception>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or holds a null character.</exception>
    /// <exception cref="NotSupportedException">
    /// The file has no positions, and the options ask for an offset or to follow it.
    /// </exception>
    public static FilePipeReader OpenRead(string path, FileReadOptions options = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        OpenFile file = OpenFile.Open(path, options);
        try
        {
            return new FilePipeReader(file, options);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Reads an open file.</summary>
    /// <param name="handle">
    /// A handle open for reading. Closed with the reader unless <see cref="FileReadOptions.LeaveOpen"/>. Its own file
    /// position is neither used nor moved where the file has positions.
    /// </param>
    /// <param name="options">How to read it; the default is a good choice.</param>
    /// <exception cref="FilePipeException">The handle is a folder's, or the system does not report its kind.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is closed or invalid.</exception>
    /// <exception cref="NotSupportedException">
    /// The file has no positions, and the options ask for an offset or to follow it.
    /// </exception>
    public static FilePipeReader OpenRead(SafeFileHandle handle, FileReadOptions options = default)
    {
        ArgumentNullException.ThrowIfNull(handle);
        if (handle.IsInvalid || handle.IsClosed)
        {
            throw new ArgumentException("The handle is closed or invalid.", nameof(handle));
        }

        if (options.Follow == FollowMode.Name)
        {
            throw new ArgumentException(
                $"{nameof(FollowMode)}.{nameof(FollowMode.Name)} needs a path: a handle has no name to look up again.",
                nameof(options));
        }

        // The caller keeps a handle that is not accepted.
        return new FilePipeReader(new OpenFile(handle, path: "", options, ownsHandle: !options.LeaveOpen), options);
    }
}

using Microsoft.Win32.SafeHandles;

namespace Millrace.Sources;

/// <summary>Opens a file by name and turns what can go wrong into one exception that says what and where.</summary>
internal static class FileOpener
{
    public static SafeFileHandle Open(string path, in FileReadOptions options)
    {
        FileShare share = options.Share;
        if (options.Follow != FollowMode.None)
        {
            // Somebody has to be able to write what is waited for, and to rename it away.
            share |= FileShare.ReadWrite | FileShare.Delete;
        }

        try
        {
            return File.OpenHandle(path, FileMode.Open, FileAccess.Read, share, FileOptions.SequentialScan);
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw Describe(path, exception);
        }
    }

    private static FilePipeException Describe(string path, Exception exception)
    {
        (FilePipeError error, string what) = exception switch
        {
            FileNotFoundException => (FilePipeError.NotFound, "there is no such file"),
            DirectoryNotFoundException => (FilePipeError.NotFound, "a folder of its path does not exist"),
            UnauthorizedAccessException when Directory.Exists(path) => (FilePipeError.IsDirectory, "it is a folder"),
            UnauthorizedAccessException => (FilePipeError.AccessDenied, "permission denied"),
            IOException when IsSharingViolation(exception) =>
                (FilePipeError.Sharing, "another process holds it; see FileReadOptions.Share"),
            _ => (FilePipeError.Failed, exception.Message),
        };
        return new FilePipeException(error, $"Cannot open '{path}' for reading: {what}.", path, 0, exception);
    }

    /// <summary>
    /// ERROR_SHARING_VIOLATION and ERROR_LOCK_VIOLATION on Windows; EWOULDBLOCK of the advisory lock on Linux (11) and
    /// macOS (35), which .NET passes through as the HResult.
    /// </summary>
    private static bool IsSharingViolation(Exception exception) =>
        (exception.HResult & 0xFFFF) is 32 or 33 || exception.HResult is 11 or 35;
}

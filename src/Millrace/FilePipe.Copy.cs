namespace Millrace;

/// <summary>Copying.</summary>
public static partial class FilePipe
{
    /// <summary>Copies a file by the fastest way that the system has, and publishes the copy as a commit does.</summary>
    public static ValueTask<FileCopy> CopyAsync(
        string source,
        string destination,
        FileCopyOptions options = default,
        IProgress<FileCopyProgress>? progress = null,
        CancellationToken cancellationToken = default) => throw new NotSupportedException();
}

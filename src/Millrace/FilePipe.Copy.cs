using Millrace.Copying;

namespace Millrace;

/// <content>Copying.</content>
public static partial class FilePipe
{
    /// <summary>Copies a file by the fastest way that the system has, and publishes the copy as a commit does.</summary>
    /// <param name="source">
    /// The file to copy; a link is followed. One that grows meanwhile is copied up to the length that it had at the
    /// beginning; one without a length, such as a FIFO or a file of <c>/proc</c>, up to its end.
    /// </param>
    /// <param name="destination">
    /// The name of the copy, not that of a folder. A file of that name is replaced in one step at the end, and is as it was
    /// until then; a link is followed.
    /// </param>
    /// <param name="options">How to copy; the default is a good choice.</param>
    /// <param name="progress">
    /// Receives progress about every 16 MiB and at the end, on a pool thread. An exception it throws ends the copy.
    /// </param>
    /// <param name="cancellationToken">Ends the copy within 16 MiB, as long as it is not published.</param>
    /// <returns>The result. Holes of the source are holes of the copy where the system reports them.</returns>
    /// <remarks>
    /// Thread-safe. The calling thread waits for no disk: everything is done on the thread pool. A copy that fails or is
    /// canceled leaves no partial file. The content is copied, and the attributes that <paramref name="options"/> ask for; owner, ACLs
    /// and extended attributes of the source are not.
    /// </remarks>
    /// <exception cref="FilePipeException">
    /// The source cannot be read or was changed meanwhile, the copy cannot be written or published, both are the same file
    /// (<see cref="FilePipeError.SameFile"/>), or the second reading differs (<see cref="FilePipeError.NotIdentical"/>).
    /// </exception>
    /// <exception cref="ArgumentException">A path is empty or holds a null character.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public static ValueTask<CopyResult> CopyAsync(
        string source,
        string destination,
        FileCopyOptions options = default,
        IProgress<FileCopyProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ThrowIfNoPath(source, nameof(source));
        ThrowIfNoPath(destination, nameof(destination));
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CopyResult>(cancellationToken)
            : new FileCopier(source, destination, options, progress, CopyMethods.All).RunAsync(cancellationToken);
    }

    /// <summary>The same on the calling thread, without a thread-pool hop.</summary>
    /// <param name="source">As <see cref="CopyAsync"/>.</param>
    /// <param name="destination">As <see cref="CopyAsync"/>.</param>
    /// <param name="options">As <see cref="CopyAsync"/>.</param>
    /// <param name="progress">As <see cref="CopyAsync"/>, on the calling thread as long as the kernel copies.</param>
    /// <param name="cancellationToken">As <see cref="CopyAsync"/>.</param>
    /// <returns>As <see cref="CopyAsync"/>.</returns>
    /// <exception cref="FilePipeException">As <see cref="CopyAsync"/>.</exception>
    /// <exception cref="ArgumentException">As <see cref="CopyAsync"/>.</exception>
    /// <exception cref="OperationCanceledException">As <see cref="CopyAsync"/>.</exception>
    public static CopyResult Copy(
        string source,
        string destination,
        FileCopyOptions options = default,
        IProgress<FileCopyProgress>? progress = null,
        CancellationToken cancellationToken = default)
    {
        ThrowIfNoPath(source, nameof(source));
        ThrowIfNoPath(destination, nameof(destination));
        cancellationToken.ThrowIfCancellationRequested();
        return new FileCopier(source, destination, options, progress, CopyMethods.All).Run(cancellationToken);
    }

    private static void ThrowIfNoPath(string path, string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(path, name);
        if (path.Contains('\0', StringComparison.Ordinal))
        {
            throw new ArgumentException("A path holds no null character.", name);
        }
    }
}

/// <summary>The result of <see cref="FilePipe.CopyAsync"/>.</summary>
/// <param name="Length">Length of the copy, in bytes.</param>
/// <param name="CopiedBytes">
/// How many of them were read and written, by the kernel or here. The rest are holes, which stay holes, or blocks that
/// the copy shares with its source: 0 for a reflink.
/// </param>
/// <param name="Method">
/// How, in plain words: "reflink", "copy_file_range", "read and write", or "copy_file_range, read and write" when
/// the system gave up halfway.
/// </param>
/// <param name="Sha256">SHA-256 of the content when <see cref="FileCopyOptions.Verify"/> asked for it; else empty.</param>
public readonly record struct CopyResult(long Length, long CopiedBytes, string Method, ReadOnlyMemory<byte> Sha256);

/// <summary>How far a copy is. Reported every 16 MiB or so and at the end, not more often.</summary>
/// <param name="CopiedBytes">Bytes of the file that are done, holes included; verifying, bytes that were compared.</param>
/// <param name="TotalBytes">
/// How many there will be: the length of the source when the copy began; 0 where it has none, as a FIFO has not.
/// </param>
/// <param name="Verifying">Whether the copy is made and is being compared.</param>
public readonly record struct FileCopyProgress(long CopiedBytes, long TotalBytes, bool Verifying);

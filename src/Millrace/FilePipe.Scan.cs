using Millrace.Scanning;

namespace Millrace;

/// <content>Scanning.</content>
public static partial class FilePipe
{
    /// <summary>Reads a file in ranges at once, each from the start of a record to the start of another.</summary>
    /// <typeparam name="T">The result of one range.</typeparam>
    /// <param name="path">The file, relative to the current folder or absolute. Opened once.</param>
    /// <param name="degree">
    /// How many ranges are read side by side; 0 is one for every processor, fewer for a file of less than 512 KiB for each.
    /// There are up to eight times as many, of at least 2 MiB then, and a worker that is done with one takes the next.
    /// </param>
    /// <param name="boundary">
    /// Where records end. The scanned part begins a record by definition. A record belongs to the range that it begins in
    /// and is never cut; a range that no record begins in gets no reader. The default value cuts anywhere, between any two
    /// bytes.
    /// </param>
    /// <param name="scan">
    /// Reads one range, on a thread of the pool, with a token that the caller and the first failure cancel.
    /// <see cref="FilePipeReader.Position"/> and <see cref="FilePipeReader.Length"/> say which range it is. The reader is
    /// completed when the task ends, and need not be read to its end. Called several times at once; an empty file is one call
    /// with a reader that has nothing.
    /// </param>
    /// <param name="options">
    /// How to read. <see cref="FileReadOptions.Offset"/> and <see cref="FileReadOptions.Length"/> restrict the scan;
    /// <see cref="ReadStrategy.Auto"/> is <see cref="ReadStrategy.Buffered"/> here, because the other processors read ranges
    /// at the same time.
    /// </param>
    /// <param name="cancellationToken">Ends the scan as soon as every <paramref name="scan"/> has seen it.</param>
    /// <returns>The results in the order of the file, at least one.</returns>
    /// <remarks>
    /// <para>
    /// Bytes that are added to the file after it was opened are not scanned; other changes are found as
    /// <see cref="FileReadOptions.ChangeDetection"/> specifies. A file whose size is unknown (a FIFO, one of /proc)
    /// is one range that goes on to its end.
    /// </para>
    /// <para>
    /// The task throws the first failure, after all calls of <paramref name="scan"/> have ended. Thread-safe.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> is empty or holds a null character, or the options ask to follow the file, which has no end to
    /// divide.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="degree"/> is negative.</exception>
    /// <exception cref="FilePipeException">The file could not be opened or read, was truncated or changed.</exception>
    /// <exception cref="NotSupportedException">The file has no positions, and the options ask for an offset.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled, or a scan threw it.</exception>
    public static Task<T[]> ScanAsync<T>(
        string path,
        int degree,
        RecordBoundary boundary,
        Func<FilePipeReader, CancellationToken, ValueTask<T>> scan,
        FileReadOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        ArgumentOutOfRangeException.ThrowIfNegative(degree);
        ArgumentNullException.ThrowIfNull(scan);
        if (options.Follow != FollowMode.None)
        {
            throw new ArgumentException(
                $"A file that is followed has no end, so it cannot be divided: leave {nameof(FileReadOptions)}."
                + $"{nameof(FileReadOptions.Follow)} at {nameof(FollowMode)}.{nameof(FollowMode.None)}.",
                nameof(options));
        }

        // On the pool from the start: opening and looking for the ends of records wait for the disk.
        return Task.Run(
            () => RangeScan.RunAsync(path, degree, boundary, scan, options, cancellationToken), cancellationToken);
    }

    /// <summary>Reads a file in ranges at once, and combines the results two by two in the order of the file.</summary>
    /// <remarks>
    /// The last delegate combines the result of the file so far with that of the next range, from left to right. It is called
    /// after the last range was read, one call at a time, and not at all if there was one range.
    /// </remarks>
    /// <returns>The result of the whole file; for an empty file, what <paramref name="scan"/> returned for it.</returns>
    /// <inheritdoc cref="ScanAsync{T}(string, int, RecordBoundary, Func{FilePipeReader, CancellationToken, ValueTask{T}}, FileReadOptions, CancellationToken)"/>
    public static Task<T> ScanAsync<T>(
        string path,
        int degree,
        RecordBoundary boundary,
        Func<FilePipeReader, CancellationToken, ValueTask<T>> scan,
        Func<T, T, T> combine,
        FileReadOptions options = default,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(combine);
        Task<T[]> results = ScanAsync(path, degree, boundary, scan, options, cancellationToken);
        return CombineAsync(results, combine);
    }

    private static async Task<T> CombineAsync<T>(Task<T[]> results, Func<T, T, T> combine) =>
        (await results.ConfigureAwait(false)).Aggregate(combine);
}

namespace Millrace;

/// <summary>Scanning.</summary>
public static partial class FilePipe
{
    /// <summary>Reads a file in parts at once, each from the start of a record to the start of another.</summary>
    public static Task<T[]> ScanAsync<T>(
        string path,
        int degree,
        RecordBoundary boundary,
        Func<FilePipeReader, CancellationToken, ValueTask<T>> scan,
        FileReadOptions options = default,
        CancellationToken cancellationToken = default) => throw new NotSupportedException();

    /// <summary>The same, and the results combined two by two in the order of the file.</summary>
    public static Task<T> ScanAsync<T>(
        string path,
        int degree,
        RecordBoundary boundary,
        Func<FilePipeReader, CancellationToken, ValueTask<T>> scan,
        Func<T, T, T> combine,
        FileReadOptions options = default,
        CancellationToken cancellationToken = default) => throw new NotSupportedException();
}

namespace Millrace;

/// <summary>Bytes are not the lines or records that they were read as.</summary>
public sealed class RecordException : IOException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">The expected data, the data found and a remedy.</param>
    /// <param name="offset">Where the line or record begins, in bytes from where the iteration began.</param>
    /// <param name="index">Which one it is, from 0.</param>
    public RecordException(string message, long offset, long index)
        : base(message)
    {
        Offset = offset;
        Index = index;
    }

    /// <summary>Where the line or record begins, in bytes from where the iteration began.</summary>
    public long Offset { get; }

    /// <summary>Which one it is, from 0.</summary>
    public long Index { get; }

    /// <summary>The file that was read; null where the reader or stream does not report it.</summary>
    public string? Path { get; init; }

    internal static RecordException LineTooLong(string? path, long offset, long index, int limit) => new(
        $"Line {index + 1}{Of(path)}, which begins {offset} bytes after the start, is longer than the limit of {limit} bytes. Raise the "
        + "limit if the data may have such lines; if not, it is damaged, or not text.",
        offset,
        index)
    {
        Path = path,
    };

    internal static RecordException Incomplete(string? path, long offset, long found, int size) => new(
        $"The bytes{Of(path)} end within a record: record {offset / size}, which begins {offset} bytes after the start, has {found} of {size} "
        + "bytes. The data was cut off, or its records are of another size.",
        offset,
        offset / size)
    {
        Path = path,
    };

    private static string Of(string? path) => path is null ? "" : $" of '{path}'";
}

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

    internal static RecordException LineTooLong(long offset, long index, int limit) => new(
        $"Line {index + 1}, which begins {offset} bytes after the start, is longer than the limit of {limit} bytes. Raise the "
        + "limit if the data may have such lines; if not, it is damaged, or no text.",
        offset,
        index);

    internal static RecordException Incomplete(long offset, long found, int size) => new(
        $"The bytes end within a record: record {offset / size}, which begins {offset} bytes after the start, has {found} of {size} "
        + "bytes. The data was cut off, or its records are of another size.",
        offset,
        offset / size);
}

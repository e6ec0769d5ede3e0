namespace Millrace.Transfer;

/// <summary>A part of a file.</summary>
/// <param name="Offset">Its first byte; 0 or more.</param>
/// <param name="Length">Its bytes; 0 or more.</param>
public readonly record struct ByteRange(long Offset, long Length)
{
    /// <summary>The first byte after it.</summary>
    public long End => Offset + Length;
}

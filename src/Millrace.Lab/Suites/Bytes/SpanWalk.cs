namespace Millrace.Lab.Suites.Bytes;

/// <summary>A span and `for`: the counterpart of the raw buffer.</summary>
internal readonly struct SpanWalk : IByteWalk
{
    /// <inheritdoc/>
    public static ulong Sum(byte[] all) => Sum(all.AsSpan());

    /// <inheritdoc/>
    public static ulong Sum(ArraySegment<byte> increment) => Sum(increment.AsSpan());

    /// <inheritdoc/>
    public static ulong Sum(ReadOnlyMemory<byte> segment) => Sum(segment.Span);

    /// <summary>Sums a span byte by byte.</summary>
    public static ulong Sum(ReadOnlySpan<byte> bytes)
    {
        ulong sum = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            sum = checked(sum + bytes[i]);
        }

        return sum;
    }
}

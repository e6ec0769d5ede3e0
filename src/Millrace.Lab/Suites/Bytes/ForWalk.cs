namespace Millrace.Lab.Suites.Bytes;

/// <summary>`for` by index, on whatever the bytes arrived in: no span is taken first.</summary>
internal readonly struct ForWalk : IByteWalk
{
    /// <inheritdoc/>
    public static ulong Sum(byte[] all)
    {
        ulong sum = 0;
        for (int i = 0; i < all.Length; i++)
        {
            sum = checked(sum + all[i]);
        }

        return sum;
    }

    /// <inheritdoc/>
    public static ulong Sum(ArraySegment<byte> increment)
    {
        ulong sum = 0;
        for (int i = 0; i < increment.Count; i++)
        {
            sum = checked(sum + increment[i]);
        }

        return sum;
    }

    /// <inheritdoc/>
    public static ulong Sum(ReadOnlyMemory<byte> segment)
    {
        ulong sum = 0;
        for (int i = 0; i < segment.Length; i++)
        {
            sum = checked(sum + segment.Span[i]);
        }

        return sum;
    }
}

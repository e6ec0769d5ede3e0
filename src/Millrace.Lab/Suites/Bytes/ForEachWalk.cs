namespace Millrace.Lab.Suites.Bytes;

/// <summary>`foreach` that calls a delegate with every byte.</summary>
internal readonly struct ForEachWalk : IByteWalk
{
    /// <inheritdoc/>
    public static ulong Sum(byte[] all)
    {
        ulong sum = 0;
        Array.ForEach(all, value => sum = checked(sum + value));
        return sum;
    }

    /// <inheritdoc/>
    public static ulong Sum(ArraySegment<byte> increment)
    {
        ulong sum = 0;
        Action<byte> action = value => sum = checked(sum + value);
        foreach (byte value in increment)
        {
            action(value);
        }

        return sum;
    }

    /// <inheritdoc/>
    public static ulong Sum(ReadOnlyMemory<byte> segment)
    {
        ulong sum = 0;
        Action<byte> action = value => sum = checked(sum + value);
        foreach (byte value in segment.Span)
        {
            action(value);
        }

        return sum;
    }
}

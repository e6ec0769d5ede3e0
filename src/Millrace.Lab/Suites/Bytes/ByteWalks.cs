using System.Numerics;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>A way to walk over bytes that are in memory, in the three shapes in which they arrive.</summary>
/// <remarks>
/// Every walk comes to the same sum of all bytes. It is a checked one: nothing wraps around, and in methods that await, where
/// locals are fields, the compiler then keeps load, addition and store apart. Unchecked it makes one instruction of them
/// that takes 6 cycles a byte and hides the cost of the sequence below (docs/measuring.md).
/// </remarks>
internal interface IByteWalk
{
    static abstract ulong Sum(byte[] all);

    static abstract ulong Sum(ArraySegment<byte> increment);

    static abstract ulong Sum(ReadOnlyMemory<byte> segment);
}

/// <summary>`for` by index, on whatever the bytes arrived in: no span is taken first.</summary>
internal readonly struct ForWalk : IByteWalk
{
    public static ulong Sum(byte[] all)
    {
        ulong sum = 0;
        for (int i = 0; i < all.Length; i++)
        {
            sum = checked(sum + all[i]);
        }

        return sum;
    }

    public static ulong Sum(ArraySegment<byte> increment)
    {
        ulong sum = 0;
        for (int i = 0; i < increment.Count; i++)
        {
            sum = checked(sum + increment[i]);
        }

        return sum;
    }

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

/// <summary>`foreach` that calls a delegate with every byte.</summary>
internal readonly struct ForEachWalk : IByteWalk
{
    public static ulong Sum(byte[] all)
    {
        ulong sum = 0;
        Array.ForEach(all, value => sum = checked(sum + value));
        return sum;
    }

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

/// <summary>LINQ's Aggregate.</summary>
internal readonly struct ReduceWalk : IByteWalk
{
    public static readonly Func<ulong, byte, ulong> Add = static (sum, value) => checked(sum + value);

    public static ulong Sum(byte[] all) => all.Aggregate(0UL, Add);

    public static ulong Sum(ArraySegment<byte> increment) => increment.Aggregate(0UL, Add);

    public static ulong Sum(ReadOnlyMemory<byte> segment) => MemoryMarshal.ToEnumerable(segment).Aggregate(0UL, Add);
}

/// <summary>A span and `for`: the counterpart of the raw buffer.</summary>
internal readonly struct SpanWalk : IByteWalk
{
    public static ulong Sum(byte[] all) => Sum(all.AsSpan());

    public static ulong Sum(ArraySegment<byte> increment) => Sum(increment.AsSpan());

    public static ulong Sum(ReadOnlyMemory<byte> segment) => Sum(segment.Span);

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

/// <summary>A span and <see cref="Vector{T}"/>: as many bytes at a time as the processor's registers hold.</summary>
internal readonly struct VectorWalk : IByteWalk
{
    // A lane of 16 bits holds this many bytes of 255, each twice, as both halves of a vector are added to it.
    private const int VectorsPerLane = ushort.MaxValue / (2 * byte.MaxValue);

    public static ulong Sum(byte[] all) => Sum(all.AsSpan());

    public static ulong Sum(ArraySegment<byte> increment) => Sum(increment.AsSpan());

    public static ulong Sum(ReadOnlyMemory<byte> segment) => Sum(segment.Span);

    public static ulong Sum(ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<Vector<byte>> vectors = MemoryMarshal.Cast<byte, Vector<byte>>(bytes);
        ulong sum = SpanWalk.Sum(bytes[(vectors.Length * Vector<byte>.Count)..]);
        while (!vectors.IsEmpty)
        {
            int count = Math.Min(vectors.Length, VectorsPerLane);
            Vector<ushort> lanes = Vector<ushort>.Zero;
            foreach (Vector<byte> vector in vectors[..count])
            {
                Vector.Widen(vector, out Vector<ushort> low, out Vector<ushort> high);
                lanes += low + high;
            }

            Vector.Widen(lanes, out Vector<uint> left, out Vector<uint> right);
            sum = checked(sum + Vector.Sum(left + right));
            vectors = vectors[count..];
        }

        return sum;
    }
}

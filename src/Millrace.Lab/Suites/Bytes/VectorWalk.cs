using System.Numerics;
using System.Runtime.InteropServices;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>A span and <see cref="Vector{T}"/>: as many bytes at a time as the processor's registers hold.</summary>
internal readonly struct VectorWalk : IByteWalk
{
    // A lane of 16 bits holds this many bytes of 255, each twice, as both halves of a vector are added to it.
    private const int VectorsPerLane = ushort.MaxValue / (2 * byte.MaxValue);

    /// <inheritdoc/>
    public static ulong Sum(byte[] all) => Sum(all.AsSpan());

    /// <inheritdoc/>
    public static ulong Sum(ArraySegment<byte> increment) => Sum(increment.AsSpan());

    /// <inheritdoc/>
    public static ulong Sum(ReadOnlyMemory<byte> segment) => Sum(segment.Span);

    /// <summary>Sums a span.</summary>
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

using System.Buffers.Binary;
using System.Numerics;

namespace Millrace.Lab.Suites.Files;

/// <summary>The work that every method's consumer does: the sum of a file's little-endian 64-bit integers, wrapping around.</summary>
/// <remarks>
/// The bytes may come in pieces of any length: a value that spans two pieces is put together from both, and the last
/// bytes of a file whose length is not a multiple of 8 count as a value that is padded with zeros. Not thread-safe.
/// </remarks>
internal struct Checksum
{
    private long _sum;
    private long _bytes;

    // Where the first byte is within its value.
    private int _shift;

    // The bytes of a value that the next piece completes, at their place within the value.
    private ulong _partial;

    public readonly long Sum => unchecked(_sum + (long)_partial);

    public readonly long Bytes => _bytes;

    /// <summary>A sum of a file's values starting at an offset, the first of which may lack its lowest bytes.</summary>
    /// <remarks>The values are where they are in the file, so that they lie in memory as they do from the beginning.</remarks>
    public static Checksum From(long offset) => new() { _shift = (int)(offset & 7) };

    public void Add(ReadOnlySpan<byte> piece)
    {
        int phase = (int)((_bytes + _shift) & 7);
        _bytes += piece.Length;
        if (phase != 0)
        {
            int taken = Complete(piece, phase);
            piece = piece[taken..];
        }

        int whole = piece.Length & ~7;
        _sum = unchecked(_sum + SumWhole(piece[..whole]));
        if (whole < piece.Length)
        {
            _partial = Shifted(piece[whole..], 0);
        }
    }

    private int Complete(ReadOnlySpan<byte> piece, int phase)
    {
        int taken = Math.Min(piece.Length, 8 - phase);
        _partial |= Shifted(piece[..taken], phase);
        if (phase + taken == 8)
        {
            _sum = unchecked(_sum + (long)_partial);
            _partial = 0;
        }

        return taken;
    }

    private static ulong Shifted(ReadOnlySpan<byte> bytes, int phase)
    {
        ulong value = 0;
        for (int i = 0; i < bytes.Length; i++)
        {
            value |= (ulong)bytes[i] << (8 * (phase + i));
        }

        return value;
    }

    private static long SumWhole(ReadOnlySpan<byte> values)
    {
        if (!BitConverter.IsLittleEndian)
        {
            long swapped = 0;
            for (; values.Length >= 8; values = values[8..])
            {
                swapped = unchecked(swapped + BinaryPrimitives.ReadInt64LittleEndian(values));
            }

            return swapped;
        }

        ReadOnlySpan<Vector<long>> vectors = MemoryMarshal.Cast<byte, Vector<long>>(values);
        Vector<long> sums = Vector<long>.Zero;
        foreach (Vector<long> vector in vectors)
        {
            sums += vector;
        }

        long sum = Vector.Sum(sums);
        foreach (long value in MemoryMarshal.Cast<byte, long>(values[(vectors.Length * Vector<byte>.Count)..]))
        {
            sum = unchecked(sum + value);
        }

        return sum;
    }
}

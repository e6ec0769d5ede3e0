namespace Millrace.Lab.Suites.Bytes;

/// <summary>A way to walk over bytes that are in memory, in the three shapes in which they arrive.</summary>
/// <remarks>
/// Every walk comes to the same sum of all bytes. It is a checked one: nothing wraps around, and in methods that await, where
/// locals are fields, the compiler then keeps load, addition and store apart. Unchecked it makes one instruction of them
/// that takes 6 cycles a byte and hides what the sequence below costs (docs/measuring.md).
/// </remarks>
internal interface IByteWalk
{
    /// <summary>Sums an array of all bytes.</summary>
    static abstract ulong Sum(byte[] all);

    /// <summary>Sums an increment in a buffer.</summary>
    static abstract ulong Sum(ArraySegment<byte> increment);

    /// <summary>Sums a segment of a pipe, which may be memory of any kind.</summary>
    static abstract ulong Sum(ReadOnlyMemory<byte> segment);
}

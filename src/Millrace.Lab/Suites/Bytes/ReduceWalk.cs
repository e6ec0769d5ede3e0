using System.Runtime.InteropServices;

namespace Millrace.Lab.Suites.Bytes;

/// <summary>LINQ's Aggregate.</summary>
internal readonly struct ReduceWalk : IByteWalk
{
    /// <summary>The addition of all Aggregates.</summary>
    public static readonly Func<ulong, byte, ulong> Add = static (sum, value) => checked(sum + value);

    /// <inheritdoc/>
    public static ulong Sum(byte[] all) => all.Aggregate(0UL, Add);

    /// <inheritdoc/>
    public static ulong Sum(ArraySegment<byte> increment) => increment.Aggregate(0UL, Add);

    /// <inheritdoc/>
    public static ulong Sum(ReadOnlyMemory<byte> segment) => MemoryMarshal.ToEnumerable(segment).Aggregate(0UL, Add);
}

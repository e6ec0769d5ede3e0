using System.Buffers;

namespace Millrace.Buffers;

/// <summary>
/// The one segment of every <see cref="ReadOnlySequence{T}"/> that a file pipe hands out. A block owns two and uses
/// them in turn, so that a position kept from before the bytes were moved names a segment that is no longer current.
/// </summary>
internal sealed class BlockSegment : ReadOnlySequenceSegment<byte>
{
    public BlockSegment(ReadOnlyMemory<byte> memory) => Memory = memory;
}

using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>Pieces of memory as one sequence; what holds them is used again.</summary>
internal sealed class SliceList
{
    private readonly List<Slice> _slices = [];

    public int Count { get; private set; }

    public long Bytes { get; private set; }

    public void Add(ReadOnlyMemory<byte> memory)
    {
        if (Count == _slices.Count)
        {
            _slices.Add(new Slice());
        }

        _slices[Count].Set(memory, Bytes, Count == 0 ? null : _slices[Count - 1]);
        Bytes += memory.Length;
        Count++;
    }

    public ReadOnlySequence<byte> ToSequence() =>
        Count == 0 ? default : new ReadOnlySequence<byte>(_slices[0], 0, _slices[Count - 1], _slices[Count - 1].Memory.Length);

    /// <summary>Lets go of the memory.</summary>
    public void Clear()
    {
        for (int i = 0; i < Count; i++)
        {
            _slices[i].Set(default, 0, previous: null);
        }

        Count = 0;
        Bytes = 0;
    }

    private sealed class Slice : ReadOnlySequenceSegment<byte>
    {
        public void Set(ReadOnlyMemory<byte> memory, long before, Slice? previous)
        {
            Memory = memory;
            RunningIndex = before;
            Next = null;
            previous?.Next = this;
        }
    }
}

using System.Runtime.CompilerServices;
using Millrace.Buffers;

namespace Millrace.Sources;

/// <summary>A short first-in-first-out queue of blocks without an array of its own. Not thread-safe.</summary>
internal struct BlockQueue
{
    /// <summary>The longest queue.</summary>
    public const int Capacity = 10;

    private Slots _slots;
    private int _first;

    public int Count { get; private set; }

    public void Enqueue(Block block)
    {
        _slots[(_first + Count) % Capacity] = block;
        Count++;
    }

    /// <summary>Puts a block before all others.</summary>
    public void EnqueueFirst(Block block)
    {
        _first = (_first + Capacity - 1) % Capacity;
        _slots[_first] = block;
        Count++;
    }

    public readonly Block Peek(int index) => _slots[(_first + index) % Capacity]!;

    public Block Dequeue()
    {
        Block block = _slots[_first]!;
        _slots[_first] = null;
        _first = (_first + 1) % Capacity;
        Count--;
        return block;
    }

    /// <summary>Takes the block that came last: of free blocks, the one still in the processor's cache.</summary>
    public Block TakeLast()
    {
        Count--;
        int last = (_first + Count) % Capacity;
        Block block = _slots[last]!;
        _slots[last] = null;
        return block;
    }

    [InlineArray(Capacity)]
    private struct Slots
    {
        private Block? _slot;
    }
}

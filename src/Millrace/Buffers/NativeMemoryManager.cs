using System.Buffers;

namespace Millrace.Buffers;

/// <summary>Memory of a block that is not the garbage collector's.</summary>
internal sealed unsafe class NativeMemoryManager(byte* pointer, int length) : MemoryManager<byte>
{
    private byte* _pointer = pointer;

    public override Span<byte> GetSpan()
    {
        ObjectDisposedException.ThrowIf(_pointer is null, typeof(FilePipeReader));
        return new Span<byte>(_pointer, length);
    }

    public override MemoryHandle Pin(int elementIndex = 0)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan((uint)elementIndex, (uint)length, nameof(elementIndex));
        ObjectDisposedException.ThrowIf(_pointer is null, typeof(FilePipeReader));
        return new MemoryHandle(_pointer + elementIndex);
    }

    public override void Unpin()
    {
    }

    /// <summary>Turns a use after the memory was given back into an exception.</summary>
    public void Invalidate() => _pointer = null;

    protected override void Dispose(bool disposing) => Invalidate();
}

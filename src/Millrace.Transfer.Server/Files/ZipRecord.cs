using System.Buffers.Binary;

namespace Millrace.Transfer.Server;

/// <summary>Numbers one after the other, the least significant byte first, as zip files have them.</summary>
internal ref struct ZipRecord(Span<byte> memory)
{
    private readonly Span<byte> _memory = memory;
    private int _length;

    public readonly ReadOnlySpan<byte> Written => _memory[.._length];

    public void Add(byte value) => _memory[_length++] = value;

    public void Add(ushort value)
    {
        BinaryPrimitives.WriteUInt16LittleEndian(_memory[_length..], value);
        _length += sizeof(ushort);
    }

    public void Add(uint value)
    {
        BinaryPrimitives.WriteUInt32LittleEndian(_memory[_length..], value);
        _length += sizeof(uint);
    }

    public void Add(ulong value)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(_memory[_length..], value);
        _length += sizeof(ulong);
    }

    public void Add(scoped ReadOnlySpan<byte> bytes)
    {
        bytes.CopyTo(_memory[_length..]);
        _length += bytes.Length;
    }
}

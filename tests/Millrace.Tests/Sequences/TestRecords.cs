using System.Runtime.InteropServices;

namespace Millrace.Tests.Sequences;

internal enum Small : byte
{
    None,
}

internal enum Signed : short
{
    None,
}

internal enum Plain
{
    None,
}

internal enum Large : ulong
{
    None,
}

/// <summary>Three bytes, whose order is that of their fields.</summary>
internal readonly record struct RecordOf3(byte Red, byte Green, byte Blue);

/// <summary>Every narrow kind of field, without padding.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal readonly record struct RecordOf12(int Id, Signed Kind, bool Flag, Small Mark, char Letter, Half Weight);

/// <summary>Every wide kind of field, with their natural layout.</summary>
internal readonly record struct RecordOf24(long Time, double Value, Plain Kind, float Factor);

/// <summary>Fields that are not aligned.</summary>
[StructLayout(LayoutKind.Sequential, Pack = 1)]
internal readonly record struct RecordOf41(byte Version, Int128 Id, UInt128 Owner, Large Kind);

/// <summary>Fields in another order than in memory, and gaps between them.</summary>
[StructLayout(LayoutKind.Explicit, Size = 16)]
internal struct RecordOf16
{
    [FieldOffset(12)]
    public ushort Last;

    [FieldOffset(1)]
    public uint First;

    [FieldOffset(7)]
    public sbyte Middle;
}

[StructLayout(LayoutKind.Explicit)]
internal struct Overlapping
{
    [FieldOffset(0)]
    public uint Number;

    [FieldOffset(2)]
    public ushort Half;
}

internal readonly record struct Nested(int Id, RecordOf3 Colour);

internal unsafe struct WithBuffer
{
    public fixed byte Name[8];
}

[System.Runtime.CompilerServices.InlineArray(4)]
internal struct Inline
{
    private int _first;
}

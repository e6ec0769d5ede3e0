using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Sequences;

/// <summary>A type of record, and what its bytes are expected to be.</summary>
internal abstract record RecordKind(string Name, int Size)
{
    /// <summary>Walks over records and adds their bytes, as they are in memory, to a list, also when it fails.</summary>
    public abstract Task TakeAsync(ByteSource source, ByteOrder byteOrder, int count, List<byte> taken);

    /// <summary>The layout of records in memory.</summary>
    public abstract byte[] Expected(ReadOnlySpan<byte> records, ByteOrder byteOrder);
}

/// <summary>One, with where its fields lie that are longer than a byte.</summary>
internal sealed record RecordKind<T>(params (int Offset, int Length)[] Fields)
    : RecordKind(typeof(T).Name, Unsafe.SizeOf<T>())
    where T : unmanaged
{
    public override async Task TakeAsync(ByteSource source, ByteOrder byteOrder, int count, List<byte> taken)
    {
        var records = new List<T>();
        try
        {
            await source.Records<T>(byteOrder).TakeInto(records, count);
        }
        finally
        {
            taken.AddRange(MemoryMarshal.AsBytes(CollectionsMarshal.AsSpan(records)));
        }
    }

    public override byte[] Expected(ReadOnlySpan<byte> records, ByteOrder byteOrder)
    {
        byte[] expected = records.ToArray();
        bool turned = (byteOrder == ByteOrder.LittleEndian) != BitConverter.IsLittleEndian;
        for (int start = 0; turned && start < expected.Length; start += Size)
        {
            foreach ((int offset, int length) in Fields)
            {
                expected.AsSpan(start + offset, length).Reverse();
            }
        }

        return expected;
    }
}

/// <summary>Every type of record that is tested, of many sizes.</summary>
internal static class RecordKinds
{
    public static IReadOnlyList<RecordKind> All { get; } =
    [
        new RecordKind<byte>(), new RecordKind<sbyte>(), new RecordKind<bool>(), new RecordKind<Small>(),
        new RecordKind<short>((0, 2)), new RecordKind<ushort>((0, 2)), new RecordKind<char>((0, 2)),
        new RecordKind<Half>((0, 2)), new RecordKind<Signed>((0, 2)),
        new RecordKind<int>((0, 4)), new RecordKind<uint>((0, 4)), new RecordKind<float>((0, 4)),
        new RecordKind<Plain>((0, 4)),
        new RecordKind<long>((0, 8)), new RecordKind<ulong>((0, 8)), new RecordKind<double>((0, 8)),
        new RecordKind<Large>((0, 8)), new RecordKind<DateTime>((0, 8)),
        new RecordKind<Int128>((0, 16)), new RecordKind<UInt128>((0, 16)),
        new RecordKind<Guid>((0, 4), (4, 2), (6, 2)),
        new RecordKind<RecordOf3>(),
        new RecordKind<RecordOf12>((0, 4), (4, 2), (8, 2), (10, 2)),
        new RecordKind<RecordOf16>((1, 4), (12, 2)),
        new RecordKind<RecordOf24>((0, 8), (8, 8), (16, 4), (20, 4)),
        new RecordKind<RecordOf41>((1, 16), (17, 16), (33, 8)),
    ];
}

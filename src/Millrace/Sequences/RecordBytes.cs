using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Millrace.Sequences;

/// <summary>Turns the bytes of a record's fields around, for data of the other byte order.</summary>
internal static unsafe class RecordBytes<T>
    where T : unmanaged
{
    private static readonly bool IsOneValue = SizeOf(typeof(T)) != 0;

    // Where the fields lie; null until a type with fields is turned around for the first time.
    private static (int Offset, int Length)[]? Fields;

    /// <summary>Whether records of that byte order are to be turned around here. If so, it is found out how.</summary>
    public static bool Reverses(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)]
        Type type,
        ByteOrder byteOrder)
    {
        if (!Enum.IsDefined(byteOrder))
        {
            throw new ArgumentOutOfRangeException(nameof(byteOrder), byteOrder, $"No {nameof(ByteOrder)}.");
        }

        if ((byteOrder == ByteOrder.LittleEndian) == BitConverter.IsLittleEndian)
        {
            return false;
        }

        if (!IsOneValue)
        {
            Fields ??= FieldsOf(type);
        }

        return true;
    }

    /// <summary>The same record with the bytes of every field in the other order.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static T Reverse(T record)
    {
        // Sizes are constants to the compiler: one of these is left of a number.
        if (IsOneValue)
        {
            switch (sizeof(T))
            {
                case 2:
                    return Unsafe.BitCast<ushort, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ushort>(record)));
                case 4:
                    return Unsafe.BitCast<uint, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, uint>(record)));
                case 8:
                    return Unsafe.BitCast<ulong, T>(BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, ulong>(record)));
                case 16:
                    return Unsafe.BitCast<UInt128, T>(
                        BinaryPrimitives.ReverseEndianness(Unsafe.BitCast<T, UInt128>(record)));
            }
        }

        return ReverseFields(record);
    }

    private static T ReverseFields(T record)
    {
        foreach ((int offset, int length) in Fields ?? [])
        {
            new Span<byte>((byte*)&record + offset, length).Reverse();
        }

        return record;
    }

    private static (int Offset, int Length)[] FieldsOf(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)]
        Type type)
    {
        if (type.IsDefined(typeof(InlineArrayAttribute), inherit: false))
        {
            throw CannotReverse(type, "it is an inline array");
        }

        var fields = new List<(int Offset, int Length)>();
        foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
        {
            int length = SizeOf(field.FieldType);
            if (length == 0)
            {
                throw CannotReverse(
                    type,
                    $"its field {field.Name} is a {field.FieldType}, and only fields that are numbers, characters, Booleans or "
                    + "enums are supported");
            }

            int offset = OffsetOf(field);
            if (fields.Exists(other => offset < other.Offset + other.Length && other.Offset < offset + length))
            {
                throw CannotReverse(type, $"its field {field.Name} lies where another one lies");
            }

            fields.Add((offset, length));
        }

        return [.. fields.Where(field => field.Length > 1)];
    }

    private static NotSupportedException CannotReverse(Type type, string reason) => new(
        $"The byte order of {type} cannot be changed: {reason}. Read it in the file's own order and reverse its numbers "
        + "yourself.");

    // Marshal.OffsetOf returns the interop layout, where a bool has four bytes. So the field is set, and
    // the bytes that changed are its place.
    private static int OffsetOf(FieldInfo field)
    {
        object boxed = default(T);
        field.SetValue(boxed, Ones(field.FieldType));
        T record = (T)boxed;
        return new ReadOnlySpan<byte>(&record, sizeof(T)).IndexOfAnyExcept((byte)0);
    }

    private static object Ones(Type type) => type.IsEnum ? Enum.ToObject(type, Ones(Enum.GetUnderlyingType(type))) : type switch
    {
        _ when type == typeof(bool) => true,
        _ when type == typeof(byte) => byte.MaxValue,
        _ when type == typeof(sbyte) => (sbyte)-1,
        _ when type == typeof(char) => char.MaxValue,
        _ when type == typeof(short) => (short)-1,
        _ when type == typeof(ushort) => ushort.MaxValue,
        _ when type == typeof(Half) => BitConverter.UInt16BitsToHalf(ushort.MaxValue),
        _ when type == typeof(int) => -1,
        _ when type == typeof(uint) => uint.MaxValue,
        _ when type == typeof(float) => BitConverter.UInt32BitsToSingle(uint.MaxValue),
        _ when type == typeof(long) => -1L,
        _ when type == typeof(ulong) => ulong.MaxValue,
        _ when type == typeof(double) => BitConverter.UInt64BitsToDouble(ulong.MaxValue),
        _ when type == typeof(Int128) => Int128.NegativeOne,
        _ when type == typeof(UInt128) => UInt128.MaxValue,
        _ => throw new NotSupportedException(type.ToString()),
    };

    private static int SizeOf(Type type) => type.IsEnum ? SizeOf(Enum.GetUnderlyingType(type)) : type switch
    {
        _ when type == typeof(bool) || type == typeof(byte) || type == typeof(sbyte) => 1,
        _ when type == typeof(char) || type == typeof(short) || type == typeof(ushort) || type == typeof(Half) => 2,
        _ when type == typeof(int) || type == typeof(uint) || type == typeof(float) => 4,
        _ when type == typeof(long) || type == typeof(ulong) || type == typeof(double) => 8,
        _ when type == typeof(Int128) || type == typeof(UInt128) => 16,
        _ => 0,
    };
}

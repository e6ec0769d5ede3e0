using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Millrace.Tests.Sequences;

/// <summary>Numbers of either byte order. Expected values are in <see cref="RecordKinds"/>, not found out.</summary>
public sealed class ByteOrderTests
{
    private static readonly byte[] Content = TestContent.Of(41 * 48).ToArray();

    public static TheoryData<string> Types => [.. RecordKinds.All.Select(kind => kind.Name)];

    [Theory, MemberData(nameof(Types))]
    public Task In_machine_order_bytes_are_unchanged(string type) => CheckAsync(
        type, BitConverter.IsLittleEndian ? ByteOrder.LittleEndian : ByteOrder.BigEndian);

    [Theory, MemberData(nameof(Types))]
    public Task In_the_other_order_the_bytes_of_every_field_are_reversed(string type) => CheckAsync(
        type, BitConverter.IsLittleEndian ? ByteOrder.BigEndian : ByteOrder.LittleEndian);

    [Fact]
    public async Task A_number_in_network_order_is_read()
    {
        PipeReader reader = PipeReader.Create(new(new byte[] { 0x12, 0x34, 0x56, 0x78 }));

        Assert.Equal(0x12345678, Assert.Single(await reader.ReadRecordsAsync<int>(ByteOrder.BigEndian).TakeAsync()));
    }

    [Fact]
    public async Task A_little_endian_number_is_read()
    {
        using var stream = new MemoryStream([0x78, 0x56, 0x34, 0x12]);

        Assert.Equal(0x12345678, Assert.Single(await stream.ReadRecordsAsync<int>(ByteOrder.LittleEndian).TakeAsync()));
    }

    [Theory]
    [InlineData(typeof(Nested), nameof(Nested.Colour))]
    [InlineData(typeof(WithBuffer), nameof(WithBuffer.Name))]
    [InlineData(typeof(Overlapping), "lies where another one lies")]
    [InlineData(typeof(Inline), "inline array")]
    [InlineData(typeof(nint), "System.IntPtr")]
    public void A_type_whose_fields_cannot_be_reversed_is_rejected_at_once(Type type, string reason)
    {
        NotSupportedException exception = type switch
        {
            _ when type == typeof(Nested) => Refused<Nested>(),
            _ when type == typeof(WithBuffer) => Refused<WithBuffer>(),
            _ when type == typeof(Overlapping) => Refused<Overlapping>(),
            _ when type == typeof(Inline) => Refused<Inline>(),
            _ => Refused<nint>(),
        };

        Assert.Contains(type.ToString(), exception.Message, StringComparison.Ordinal);
        Assert.Contains(reason, exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_type_that_cannot_be_reversed_is_read_in_machine_order()
    {
        PipeReader reader = PipeReader.Create(new(Content));

        Nested[] records = await reader.ReadRecordsAsync<Nested>().TakeAsync(2);

        Assert.Equal(Content[..(2 * Unsafe.SizeOf<Nested>())], MemoryMarshal.AsBytes<Nested>(records).ToArray());
    }

    [Fact]
    public void An_undefined_byte_order_is_rejected_at_once()
    {
        using var stream = new MemoryStream();

        Assert.Throws<ArgumentOutOfRangeException>(() => ScriptedReader.Of().ReadRecordsAsync<int>((ByteOrder)2));
        Assert.Throws<ArgumentOutOfRangeException>(() => stream.ReadRecordsAsync<int>((ByteOrder)(-1)));
    }

    private static NotSupportedException Refused<T>()
        where T : unmanaged => Assert.Throws<NotSupportedException>(
            () => ScriptedReader.Of().ReadRecordsAsync<T>(
                BitConverter.IsLittleEndian ? ByteOrder.BigEndian : ByteOrder.LittleEndian));

    private static async Task CheckAsync(string type, ByteOrder order)
    {
        RecordKind kind = RecordKinds.All.Single(kind => kind.Name == type);
        byte[] content = Content[..(kind.Size * 48)];

        // Records within a segment and such that span some.
        await using ByteSource source =
            ByteSources.Open("PipeReader.Create(ReadOnlySequence)", content, 100, 5, 0, 1);
        var taken = new List<byte>();
        await kind.TakeAsync(source, order, int.MaxValue, taken);

        Assert.Equal(kind.Expected(content, order), taken);
    }
}

using System.Buffers;
using System.Buffers.Binary;
using System.Text.Json;
using Millrace.Lab.Reporting.Html;

namespace Millrace.Lab.Tests.Reporting;

public sealed class PackedSamplesTests
{
    [Theory]
    [InlineData(new[] { 1000.0, 9999.0, 1234.0 })]
    [InlineData(new[] { 999.96, 999.94, 1000.04 })]
    [InlineData(new[] { 0.001, 1.5, 3.7e2, 9.99949 })]
    [InlineData(new[] { 10956789.0, 64_000_000_000.0, 20_000.5 })]
    [InlineData(new[] { 1e15 })]
    public void Samples_keep_four_digits(double[] samples)
    {
        double[] read = Unpack(Write(samples));
        Assert.Equal(samples.Length, read.Length);
        Assert.All(samples.Zip(read), pair => Assert.InRange(pair.Second / pair.First, 0.9995, 1.0005));
    }

    [Fact]
    public void Every_number_of_four_digits_survives_as_it_is()
    {
        double[] samples = [.. Enumerable.Range(1000, 9000).Select(digits => digits * 1e3)];
        Assert.Equal(samples, Unpack(Write(samples)));
    }

    [Theory]
    [InlineData(new[] { 1.0, 1e8 })]
    [InlineData(new[] { 0.0, 5.0 })]
    public void What_does_not_fit_is_a_plain_list(double[] samples)
    {
        JsonElement written = Write(samples);
        Assert.Equal(JsonValueKind.Array, written.ValueKind);
        Assert.Equal(samples, written.EnumerateArray().Select(value => value.GetDouble()));
    }

    private static JsonElement Write(double[] samples)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer))
        {
            PackedSamples.Write(json, samples);
        }

        return JsonElement.Parse(buffer.WrittenSpan);
    }

    private static double[] Unpack(JsonElement written)
    {
        int exponent = written.GetProperty("exponent").GetInt32();
        byte[] bytes = written.GetProperty("packed").GetBytesFromBase64();
        return
        [
            .. Enumerable.Range(0, bytes.Length / 2)
                .Select(i => (int)BinaryPrimitives.ReadUInt16LittleEndian(bytes.AsSpan(2 * i)))
                .Select(value => double.Parse($"{1000 + (value % 9000)}e{exponent + (value / 9000)}", null)),
        ];
    }
}

using BenchmarkDotNet.Attributes;

namespace Millrace.Lab.Suites.Bytes;

// As one writes it in an application; ConfigureAwait would make the sequence slower still.
#pragma warning disable CA2007
public partial class ByteReading
{
    /// <summary>The plain async sequence of bytes, and `await foreach`.</summary>
    [Benchmark]
    public ValueTask<long> AsyncBytesAwaitForEach() => RunAsync(static async self =>
    {
        await using Stream stream = await self.Source.OpenStreamAsync();
        ulong sum = 0;
        await foreach (byte value in PlainBytes.ReadAsync(stream, self.Buffer))
        {
            sum = checked(sum + value);
        }

        return sum;
    });

    /// <summary>The same with a delegate called for every byte.</summary>
    [Benchmark]
    public ValueTask<long> AsyncBytesForEach() => RunAsync(static async self =>
    {
        await using Stream stream = await self.Source.OpenStreamAsync();
        ulong sum = 0;
        Action<byte> action = value => sum = checked(sum + value);
        await foreach (byte value in PlainBytes.ReadAsync(stream, self.Buffer))
        {
            action(value);
        }

        return sum;
    });

    /// <summary>The same with LINQ's AggregateAsync.</summary>
    [Benchmark]
    public ValueTask<long> AsyncBytesReduce() => RunAsync(static async self =>
    {
        await using Stream stream = await self.Source.OpenStreamAsync();
        return await PlainBytes.ReadAsync(stream, self.Buffer).AggregateAsync(0UL, ReduceWalk.Add);
    });
}
#pragma warning restore CA2007

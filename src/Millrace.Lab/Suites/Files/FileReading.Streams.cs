using System.IO.Pipelines;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Data;

namespace Millrace.Lab.Suites.Files;

public partial class FileReading
{
    /// <summary>FileStream without a buffer of its own, read synchronously into one reused array.</summary>
    [Benchmark(Baseline = true)]
    public long FileStreamSync()
    {
        using FileStream stream = OpenStream();
        return Checked(Cache == CacheState.Cold
            ? StreamConsumer<CallClock>.Sum(stream, _array)
            : StreamConsumer<NoClock>.Sum(stream, _array));
    }

    /// <summary>The same with ReadAsync.</summary>
    [Benchmark]
    public async ValueTask<long> FileStreamAsync()
    {
        FileStream stream = OpenStream();
        await using (stream.ConfigureAwait(false))
        {
            return Checked(Cache == CacheState.Cold
                ? await StreamConsumer<CallClock>.SumAsync(stream, _array).ConfigureAwait(false)
                : await StreamConsumer<NoClock>.SumAsync(stream, _array).ConfigureAwait(false));
        }
    }

    /// <summary>The framework's own pipe over a FileStream.</summary>
    [Benchmark]
    public ValueTask<long> PipeReaderCreate() =>
        ConsumeAsync<PipeReaderCreateRow>(
            PipeReader.Create(OpenStream(), new StreamPipeReaderOptions(bufferSize: Buffer)));

    /// <summary>A task that pumps a FileStream into a Pipe.</summary>
    [Benchmark]
    public ValueTask<long> PipePump() => ConsumeAsync<PipePumpRow>(StreamPump.Start(OpenStream(), Buffer));

    /// <summary>The framework's memory-mapped file, handed over in chunks.</summary>
    [Benchmark]
    public long MemoryMapped() => Checked(MappedConsumer.Sum(Source.Path, Source.Bytes, Buffer));

    private async ValueTask<long> ConsumeAsync<TRow>(PipeReader reader)
        where TRow : struct =>
        Checked(Cache == CacheState.Cold
            ? await PipeConsumer<TRow, CallClock>.SumAsync(reader).ConfigureAwait(false)
            : await PipeConsumer<TRow, NoClock>.SumAsync(reader).ConfigureAwait(false));

    private readonly struct PipeReaderCreateRow;

    private readonly struct PipePumpRow;
}

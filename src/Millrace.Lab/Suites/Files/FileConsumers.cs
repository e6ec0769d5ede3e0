using System.Buffers;
using System.IO.MemoryMappedFiles;

namespace Millrace.Lab.Suites.Files;

/// <summary>The consumer of every method that hands out a <see cref="PipeReader"/>.</summary>
/// <typeparam name="TRow">
/// A type of the method's own. The source is one and the same for all, but each gets its own compiled copy, as in a
/// program that uses one method only: with a shared copy, dynamic PGO would specialise it for whichever reader came
/// first and the others would pay for that.
/// </typeparam>
/// <typeparam name="TClock">Whether the time inside ReadAsync is measured.</typeparam>
internal static class PipeConsumer<TRow, TClock>
    where TRow : struct
    where TClock : struct, ICallClock
{
    /// <summary>Reads to the end, sums every byte and completes the reader.</summary>
    /// <param name="from">Where in the file it begins, in bytes.</param>
    public static async ValueTask<ReadOutcome> SumAsync(PipeReader reader, long from = 0)
    {
        var checksum = Checksum.From(from);
        long callTicks = 0;
        Exception? failure = null;
        try
        {
            while (true)
            {
                long start = TClock.Start();
                ValueTask<ReadResult> pending = reader.ReadAsync();
                callTicks += TClock.Since(start);
                ReadResult result = await pending.ConfigureAwait(false);
                ReadOnlySequence<byte> buffer = result.Buffer;
                if (buffer.IsSingleSegment)
                {
                    checksum.Add(buffer.FirstSpan);
                }
                else
                {
                    foreach (ReadOnlyMemory<byte> segment in buffer)
                    {
                        checksum.Add(segment.Span);
                    }
                }

                reader.AdvanceTo(buffer.End);
                if (result.IsCompleted)
                {
                    break;
                }
            }
        }
        catch (Exception exception)
        {
            failure = exception;
            throw;
        }
        finally
        {
            await reader.CompleteAsync(failure).ConfigureAwait(false);
        }

        return new ReadOutcome(checksum.Sum, checksum.Bytes, callTicks);
    }
}

internal static class StreamConsumer<TClock>
    where TClock : struct, ICallClock
{
    public static ReadOutcome Sum(Stream stream, byte[] array, long from = 0)
    {
        var checksum = Checksum.From(from);
        long callTicks = 0;
        while (true)
        {
            long start = TClock.Start();
            int read = stream.Read(array, 0, array.Length);
            callTicks += TClock.Since(start);
            if (read == 0)
            {
                return new ReadOutcome(checksum.Sum, checksum.Bytes, callTicks);
            }

            checksum.Add(array.AsSpan(0, read));
        }
    }

    public static async ValueTask<ReadOutcome> SumAsync(Stream stream, Memory<byte> array)
    {
        var checksum = default(Checksum);
        long callTicks = 0;
        while (true)
        {
            long start = TClock.Start();
            ValueTask<int> pending = stream.ReadAsync(array);
            callTicks += TClock.Since(start);
            int read = await pending.ConfigureAwait(false);
            if (read == 0)
            {
                return new ReadOutcome(checksum.Sum, checksum.Bytes, callTicks);
            }

            checksum.Add(array.Span[..read]);
        }
    }
}

internal static unsafe class MappedConsumer
{
    // This row is what Millrace's own mapping is compared with; a truncated test file is the laboratory's own fault.
#pragma warning disable RS0030
    public static ReadOutcome Sum(string path, long bytes, int chunk)
    {
        using var file = MemoryMappedFile.CreateFromFile(
            path, FileMode.Open, mapName: null, capacity: 0, MemoryMappedFileAccess.Read);
        using MemoryMappedViewAccessor view = file.CreateViewAccessor(0, bytes, MemoryMappedFileAccess.Read);
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        try
        {
            var checksum = default(Checksum);
            byte* next = start + view.PointerOffset;
            for (long left = bytes; left > 0; left -= chunk, next += chunk)
            {
                checksum.Add(new ReadOnlySpan<byte>(next, (int)Math.Min(left, chunk)));
            }

            return new ReadOutcome(checksum.Sum, checksum.Bytes, CallTicks: 0);
        }
        finally
        {
            view.SafeMemoryMappedViewHandle.ReleasePointer();
        }
    }
#pragma warning restore RS0030
}

/// <summary>
/// The adapter that the benchmarks of 2019 wrote for themselves: a task reads a stream into the writing end of a
/// <see cref="Pipe"/>, the consumer reads the other end.
/// </summary>
internal static class StreamPump
{
    /// <summary>Starts to pump and takes ownership of the stream.</summary>
    public static PipeReader Start(Stream stream, int buffer)
    {
        // With the default of 64 KiB the writer would stop after every large buffer; twice the buffer lets it read the
        // next one while the consumer works, which is the point of a pump.
        long pause = Math.Max(64 * 1024, 2L * buffer);
        var pipe = new Pipe(new PipeOptions(
            pauseWriterThreshold: pause,
            resumeWriterThreshold: pause / 2,
            minimumSegmentSize: buffer,
            useSynchronizationContext: false));
        _ = PumpAsync(stream, pipe.Writer, buffer);
        return pipe.Reader;
    }

    private static async Task PumpAsync(Stream stream, PipeWriter writer, int buffer)
    {
        Exception? failure = null;
        try
        {
            await using (stream.ConfigureAwait(false))
            {
                while (true)
                {
                    Memory<byte> memory = writer.GetMemory(buffer)[..buffer];
                    int read = await stream.ReadAsync(memory).ConfigureAwait(false);
                    if (read == 0)
                    {
                        break;
                    }

                    writer.Advance(read);
                    FlushResult flushed = await writer.FlushAsync().ConfigureAwait(false);
                    if (flushed.IsCompleted)
                    {
                        break;
                    }
                }
            }
        }
        catch (Exception exception)
        {
            // The consumer gets it from its next read.
            failure = exception;
        }

        await writer.CompleteAsync(failure).ConfigureAwait(false);
    }
}

/// <param name="CallTicks">
/// Stopwatch ticks that threads spent inside the calls that read, without the time awaited; 0 unless measured.
/// </param>
internal readonly record struct ReadOutcome(long Sum, long Bytes, long CallTicks);

/// <summary>Whether a consumer measures the time that its thread spends inside the calls that read.</summary>
/// <remarks>
/// A type parameter and not a flag, so that in hot cases, where a read may take 100 ns, nothing of it remains in the
/// compiled code.
/// </remarks>
internal interface ICallClock
{
    static abstract long Start();

    /// <summary>Stopwatch ticks since <paramref name="start"/>, or 0 when nothing is measured.</summary>
    static abstract long Since(long start);
}

/// <summary>Measures every call; two timestamps of about 25 ns each.</summary>
internal readonly struct CallClock : ICallClock
{
    public static long Start() => Stopwatch.GetTimestamp();

    public static long Since(long start) => Stopwatch.GetTimestamp() - start;
}

internal readonly struct NoClock : ICallClock
{
    public static long Start() => 0;

    public static long Since(long start) => 0;
}

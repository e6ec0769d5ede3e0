using System.IO.Pipelines;

namespace Millrace.Lab.Suites.Files;

/// <summary>
/// The adapter that the benchmarks of 2019 wrote for themselves: a task reads a stream into the writing end of a
/// <see cref="Pipe"/>, the consumer reads the other end.
/// </summary>
internal static class StreamPump
{
    /// <summary>Starts to pump and owns the stream from then on.</summary>
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

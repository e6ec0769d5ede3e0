using System.IO.Pipelines;

namespace Millrace.Lab.Suites.Writes;

/// <summary>The producer of every method that writes to a <see cref="PipeWriter"/>.</summary>
/// <typeparam name="TRow">A type of the method's own, so that each gets its own compiled copy.</typeparam>
internal static class PipeFeeder<TRow>
    where TRow : struct
{
    /// <summary>
    /// Writes as users of pipes do: large chunks each with WriteAsync; small ones into the writer's own memory, flushed
    /// when enough has gathered.
    /// </summary>
    public static async ValueTask WriteAsync(PipeWriter writer, long bytes, int chunk)
    {
        uint index = 0;
        if (chunk >= PipeProducer.SmallestWrite)
        {
            for (long left = bytes; left > 0; left -= chunk)
            {
                await writer.WriteAsync(WrittenContent.Chunk(index++, (int)Math.Min(left, chunk))).ConfigureAwait(false);
            }

            return;
        }

        for (long left = bytes; left > 0; left -= chunk)
        {
            ReadOnlySpan<byte> source = WrittenContent.Chunk(index++, (int)Math.Min(left, chunk)).Span;
            source.CopyTo(writer.GetSpan(source.Length));
            writer.Advance(source.Length);
            if (writer.UnflushedBytes >= PipeProducer.GatheredBytes)
            {
                await writer.FlushAsync().ConfigureAwait(false);
            }
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;

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
    public static async ValueTask<ReadOutcome> SumAsync(PipeReader reader)
    {
        var checksum = default(Checksum);
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

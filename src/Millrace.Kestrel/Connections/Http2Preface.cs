using System.Buffers;
using System.IO.Pipelines;
using System.Net.Sockets;

namespace Millrace.Kestrel;

/// <summary>The first bytes of a connection.</summary>
internal enum PrefaceResult
{
    /// <summary>It ended, or its time was over, before that was clear.</summary>
    None,

    /// <summary>Anything but HTTP/2's preface.</summary>
    Http1,

    /// <summary>HTTP/2's whole preface.</summary>
    Http2,
}

/// <summary>Looks for HTTP/2's connection preface at the start of a connection, and leaves every byte unread.</summary>
internal static class Http2Preface
{
    /// <summary>https://www.rfc-editor.org/rfc/rfc9113#section-3.4</summary>
    public static ReadOnlySpan<byte> Bytes => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    /// <param name="input">The peer's bytes.</param>
    /// <param name="silence">For how long the peer may send nothing.</param>
    /// <param name="half">For how long, from its first byte, a preface may be incomplete.</param>
    /// <param name="cancellationToken">Ends the search.</param>
    public static async ValueTask<PrefaceResult> FindAsync(
        PipeReader input, TimeSpan silence, TimeSpan half, CancellationToken cancellationToken)
    {
        long seen = 0;
        CancellationTokenSource? limit = null;
        try
        {
            while (true)
            {
                // Most connections begin with the whole request: those need no timer.
                if (seen > 0 || !input.TryRead(out ReadResult read))
                {
                    if (limit is null)
                    {
                        limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                        limit.CancelAfter(Timed(seen == 0 ? silence : half));
                    }

                    read = await input.ReadAsync(limit.Token);
                }

                long before = seen;
                if (Judge(input, read, before, out seen) is { } result)
                {
                    return result;
                }

                if (before == 0 && seen > 0)
                {
                    limit?.CancelAfter(half);
                }
            }
        }
        catch (Exception exception) when (exception is IOException or SocketException or ObjectDisposedException or OperationCanceledException)
        {
            return PrefaceResult.None;
        }
        finally
        {
            limit?.Dispose();
        }
    }

    /// <returns>Null if more bytes are needed; <paramref name="now"/> are examined then.</returns>
    private static PrefaceResult? Judge(PipeReader input, in ReadResult read, long seen, out long now)
    {
        ReadOnlySequence<byte> buffer = read.Buffer;
        now = Math.Min(buffer.Length, Bytes.Length);
        Span<byte> start = stackalloc byte[(int)now];
        buffer.Slice(0, now).CopyTo(start);
        PrefaceResult? result = !Bytes.StartsWith(start) ? PrefaceResult.Http1
            : now == Bytes.Length ? PrefaceResult.Http2
            : read.IsCompleted ? PrefaceResult.Http1
            : null;

        // Examined bytes stay examined, and the next read returns at once only if there are others.
        input.AdvanceTo(buffer.Start, result is null ? buffer.End : buffer.GetPosition(seen));
        return result;
    }

    /// <summary>Kestrel's way to write an infinite time is its longest.</summary>
    private static TimeSpan Timed(TimeSpan limit) =>
        limit.TotalMilliseconds > int.MaxValue ? Timeout.InfiniteTimeSpan : limit;
}

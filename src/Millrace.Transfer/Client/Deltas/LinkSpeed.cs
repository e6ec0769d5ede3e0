using System.Buffers;

namespace Millrace.Transfer;

/// <summary>
/// Whether the link to the server is so fast that sending a file takes less time than finding out what of it has changed. Measured by the first
/// bytes of a file that the server has, and remembered for a minute. Thread-safe.
/// </summary>
internal sealed class LinkSpeed(TimeProvider clock)
{
    /// <summary>Files are sent whole at this many bytes per second or more.</summary>
    /// <remarks>
    /// Both sides read a file, hash it and write it: with a delta at about 400 MB/s on one processor of 2024 (docs/measuring.md). 250 MB/s is
    /// twice 1 Gbit/s, and a quarter of 10 Gbit/s or of a machine's rate to itself.
    /// </remarks>
    public const double FastBytesPerSecond = 250e6;

    /// <summary>Bytes that are read to measure it: more than a link's bucket lets through at once, and little beside any list of blocks.</summary>
    public const int ProbeBytes = 128 * 1024;

    /// <summary>
    /// Bytes that are read before, so that the measured ones meet compiled code and a window that is open: in a process that has just started, the
    /// first bytes take as long on any link.
    /// </summary>
    private const int FirstBytes = 4 * 1024;

    /// <summary>Links change: a laptop is carried home.</summary>
    private static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new();
    private double _rate;
    private long _measured;

    /// <summary>Whether it is fast; null if it has to be measured.</summary>
    public bool? IsFast
    {
        get
        {
            lock (_lock)
            {
                return _rate > 0 && clock.GetElapsedTime(_measured) < Lifetime ? _rate >= FastBytesPerSecond : null;
            }
        }
    }

    /// <summary>Measures it.</summary>
    /// <param name="context">The server.</param>
    /// <param name="name">A file there of <see cref="BlockSums.MinFileBytes"/> or more.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Whether it is fast; null if there is no such file, or it cannot be read.</returns>
    public async ValueTask<bool?> MeasureAsync(TransferContext context, TransferName name, CancellationToken cancellationToken)
    {
        if (await ProbeAsync(context, name, FirstBytes, cancellationToken).ConfigureAwait(false) is null
            || await ProbeAsync(context, name, ProbeBytes, cancellationToken).ConfigureAwait(false) is not { } rate)
        {
            return null;
        }

        Learn(rate);
        return rate >= FastBytesPerSecond;
    }

    /// <summary>Remembers a rate.</summary>
    public void Learn(double bytesPerSecond)
    {
        lock (_lock)
        {
            _rate = bytesPerSecond;
            _measured = clock.GetTimestamp();
        }
    }

    private async ValueTask<double?> ProbeAsync(
        TransferContext context, TransferName name, int count, CancellationToken cancellationToken)
    {
        using IdleWatch watch = context.Watch(cancellationToken);
        try
        {
            using OpenedFile opened = await context.Protocol
                .OpenAsync(name, new ByteRange(0, count), tag: null, digest: false, watch).ConfigureAwait(false);
            if (opened.Length is not >= BlockSums.MinFileBytes || opened.Count != count)
            {
                return null;
            }

            long started = clock.GetTimestamp();
            using IMemoryOwner<byte> bytes = AlignedMemoryPool.Shared.Rent(count);
            await opened.Body.ReadExactlyAsync(bytes.Memory[..count], watch.Token).ConfigureAwait(false);
            double seconds = Math.Max(clock.GetElapsedTime(started).TotalSeconds, 1e-9);
            await opened.FinishAsync().ConfigureAwait(false);
            return count / seconds;
        }
        catch (Exception exception)
            when (exception is TransferException or IOException or HttpRequestException
                || (exception is OperationCanceledException && !cancellationToken.IsCancellationRequested))
        {
            return null;
        }
    }
}

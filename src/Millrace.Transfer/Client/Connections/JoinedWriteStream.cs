using System.Runtime.CompilerServices;

namespace Millrace.Transfer;

/// <summary>
/// A connection of HTTP/1.1 that sends the fields of a request together with its small body. HttpClient keeps the fields in a buffer of 4 KiB
/// and writes them alone if the body does not fit behind them: a server then wakes twice for a file of 4 KiB.
/// </summary>
/// <remarks>One write at a time, as HttpClient does. Disposing disposes the inner stream.</remarks>
internal sealed class JoinedWriteStream(Stream inner) : ForwardStream
{
    /// <summary>Bytes of a body that are copied to go with the fields; more than this is better sent as it is.</summary>
    public const int MaxBodyBytes = 16 * 1024;

    private const int MaxFieldBytes = 4 * 1024;

    /// <summary>The body that this thread is giving to HttpClient just now.</summary>
    [ThreadStatic]
    private static ReadOnlyMemory<byte> s_body;

    private byte[]? _joined;
    private int _held;

    /// <summary>Writes the whole body of a request, which may be joined to the request's fields.</summary>
    /// <param name="destination">HttpClient's stream for the body.</param>
    /// <param name="body">All of the body.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static ValueTask WriteBodyAsync(Stream destination, ReadOnlyMemory<byte> body, CancellationToken cancellationToken)
    {
        s_body = body.Length <= MaxBodyBytes ? body : default;
        try
        {
            return destination.WriteAsync(body, cancellationToken);
        }
        finally
        {
            s_body = default;
        }
    }

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        inner.ReadAsync(buffer, cancellationToken);

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        inner.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_held > 0)
        {
            return WriteJoinedAsync(buffer, cancellationToken);
        }

        // Not longer than the body, so not all of both, and not the body itself: the fields, perhaps with as much of the body as fills the
        // buffer. HttpClient writes the rest at once.
        if (buffer.Length <= Math.Min(s_body.Length, MaxFieldBytes) && !buffer.Span.Overlaps(s_body.Span))
        {
            _joined ??= GC.AllocateUninitializedArray<byte>(MaxFieldBytes + MaxBodyBytes);
            buffer.CopyTo(_joined);
            _held = buffer.Length;
            return default;
        }

        return inner.WriteAsync(buffer, cancellationToken);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Write(byte[] buffer, int offset, int count) => inner.Write(buffer, offset, count);

    public override void Flush() => inner.Flush();

    public override Task FlushAsync(CancellationToken cancellationToken) => inner.FlushAsync(cancellationToken);

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            inner.Dispose();
        }

        base.Dispose(disposing);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteJoinedAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken)
    {
        int held = _held;
        int joined = Math.Min(buffer.Length, _joined!.Length - held);
        buffer[..joined].CopyTo(_joined.AsMemory(held));
        _held = 0;
        await inner.WriteAsync(_joined.AsMemory(0, held + joined), cancellationToken).ConfigureAwait(false);
        if (joined < buffer.Length)
        {
            await inner.WriteAsync(buffer[joined..], cancellationToken).ConfigureAwait(false);
        }
    }
}

using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// A response's body for writers of streams, which fails when the client is gone: making the rest would be work for nothing. What they write
/// synchronously, a few headers, is only put into the pipe's memory, so that no thread ever waits for the connection; whatever they
/// write asynchronously after it sends both.
/// </summary>
internal sealed class BodyStream(PipeWriter body) : WriteOnlyStream
{
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ResponseWriter.ThrowIfGone(await body.WriteAsync(buffer, cancellationToken));
        // Kestrel drops what is written to a connection that is gone, and only a flush says so.
        ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));
    }

    public override async Task FlushAsync(CancellationToken cancellationToken) =>
        ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));

    public override void Write(ReadOnlySpan<byte> buffer) => body.Write(buffer);
}

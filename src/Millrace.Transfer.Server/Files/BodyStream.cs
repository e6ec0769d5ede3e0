using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// A response's body for writers of streams, which fails when the client is gone: producing the rest would be wasted work. The bytes they write
/// synchronously, a few headers, are only put into the pipe's memory, so that no thread ever waits for the connection; whatever they
/// write asynchronously after it sends both.
/// </summary>
internal sealed class BodyStream(PipeWriter body) : WriteOnlyStream
{
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ResponseWriter.ThrowIfGone(await body.WriteAsync(buffer, cancellationToken));
        // Kestrel drops bytes written to a closed connection, and only a flush reports it.
        ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));
    }

    public override async Task FlushAsync(CancellationToken cancellationToken) =>
        ResponseWriter.ThrowIfGone(await body.FlushAsync(cancellationToken));

    public override void Write(ReadOnlySpan<byte> buffer) => body.Write(buffer);
}

using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// A response's body for writers of archives. What they write synchronously, a few headers, is only put into the pipe's
/// memory, so that no thread ever waits for the connection; whatever they write asynchronously after it sends both.
/// </summary>
internal sealed class BodyStream(PipeWriter body) : WriteOnlyStream
{
    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        FlushResult result = await body.WriteAsync(buffer, cancellationToken);
        ThrowIfOver(result);
    }

    public override async Task FlushAsync(CancellationToken cancellationToken) =>
        ThrowIfOver(await body.FlushAsync(cancellationToken));

    public override void Write(ReadOnlySpan<byte> buffer) => body.Write(buffer);

    /// <summary>Nobody reads any more: making the rest would be work for nothing.</summary>
    private static void ThrowIfOver(FlushResult result)
    {
        if (result.IsCompleted || result.IsCanceled)
        {
            throw new OperationCanceledException("The client went away while an archive was sent.");
        }
    }
}

using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>
/// A response's body for writers of archives. What they write synchronously, a few headers, is only put into the pipe's
/// memory, so that no thread ever waits for the connection; whatever they write asynchronously after it sends both.
/// </summary>
internal sealed class BodyStream(PipeWriter body) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        FlushResult result = await body.WriteAsync(buffer, cancellationToken).ConfigureAwait(false);
        ThrowIfOver(result);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async Task FlushAsync(CancellationToken cancellationToken) =>
        ThrowIfOver(await body.FlushAsync(cancellationToken).ConfigureAwait(false));

    public override void Write(ReadOnlySpan<byte> buffer) => body.Write(buffer);

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    /// <summary>Nobody reads any more: making the rest would be work for nothing.</summary>
    private static void ThrowIfOver(FlushResult result)
    {
        if (result.IsCompleted || result.IsCanceled)
        {
            throw new OperationCanceledException("The client went away while an archive was sent.");
        }
    }
}

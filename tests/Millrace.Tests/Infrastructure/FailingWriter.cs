using System.IO.Pipelines;

namespace Millrace.Tests.Infrastructure;

/// <summary>A writer that takes a number of writes, whole, and then fails.</summary>
internal sealed class FailingWriter(int writesBeforeFailure) : PipeWriter, IDisposable
{
    private readonly FailingStream _stream = new(writesBeforeFailure);

    public ReadOnlySpan<byte> Taken => _stream.Taken;

    public override async ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        await _stream.WriteAsync(source, cancellationToken);
        return default;
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) => default;

    public override void Advance(int bytes) => throw new NotSupportedException();

    public override Memory<byte> GetMemory(int sizeHint = 0) => throw new NotSupportedException();

    public override Span<byte> GetSpan(int sizeHint = 0) => throw new NotSupportedException();

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    public void Dispose() => _stream.Dispose();
}

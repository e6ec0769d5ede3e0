namespace Millrace.Tests.Infrastructure;

/// <summary>A writer that takes a number of writes, whole, and then fails.</summary>
internal sealed class FailingWriter(int writesBeforeFailure) : PipeWriter, IDisposable
{
    private readonly FailingStream _stream = new(writesBeforeFailure);
    private byte[] _lent = [];
    private int _advanced;

    public ReadOnlySpan<byte> Taken => _stream.Taken;

    public override async ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        await _stream.WriteAsync(source, cancellationToken);
        return default;
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        int bytes = _advanced;
        _advanced = 0;
        return bytes == 0 ? default : WriteAsync(_lent.AsMemory(0, bytes), cancellationToken);
    }

    public override void Advance(int bytes) => _advanced += bytes;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Assert.Equal(0, _advanced);
        _lent = new byte[Math.Max(sizeHint, 1)];
        return _lent;
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void CancelPendingFlush()
    {
    }

    public override void Complete(Exception? exception = null)
    {
    }

    public void Dispose() => _stream.Dispose();
}

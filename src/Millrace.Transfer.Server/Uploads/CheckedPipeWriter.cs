namespace Millrace.Transfer.Server;

/// <summary>Hashes what passes on its way to another writer.</summary>
internal sealed class CheckedPipeWriter : PipeWriter
{
    private readonly PipeWriter _destination;
    private readonly ContentCheck _check;
    private Memory<byte> _given;

    public CheckedPipeWriter(PipeWriter destination, ContentCheck check)
    {
        _destination = destination;
        _check = check;
    }

    public override bool CanGetUnflushedBytes => _destination.CanGetUnflushedBytes;

    public override long UnflushedBytes => _destination.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => _given = _destination.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        _check.Append(_given.Span[..bytes]);
        _given = _given[bytes..];
        _destination.Advance(bytes);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        _check.Append(source.Span);
        return _destination.WriteAsync(source, cancellationToken);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        _destination.FlushAsync(cancellationToken);

    public override void CancelPendingFlush() => _destination.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => _destination.Complete(exception);
}

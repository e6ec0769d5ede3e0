using System.IO.Pipelines;

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

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => _destination.CanGetUnflushedBytes;

    /// <inheritdoc/>
    public override long UnflushedBytes => _destination.UnflushedBytes;

    /// <inheritdoc/>
    public override Memory<byte> GetMemory(int sizeHint = 0) => _given = _destination.GetMemory(sizeHint);

    /// <inheritdoc/>
    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <inheritdoc/>
    public override void Advance(int bytes)
    {
        _check.Append(_given.Span[..bytes]);
        _given = _given[bytes..];
        _destination.Advance(bytes);
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        _check.Append(source.Span);
        return _destination.WriteAsync(source, cancellationToken);
    }

    /// <inheritdoc/>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        _destination.FlushAsync(cancellationToken);

    /// <inheritdoc/>
    public override void CancelPendingFlush() => _destination.CancelPendingFlush();

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => _destination.Complete(exception);
}

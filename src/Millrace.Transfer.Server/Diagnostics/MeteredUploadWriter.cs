using System.IO.Pipelines;

namespace Millrace.Transfer.Server;

/// <summary>Counts an upload as active for as long as somebody appends to it.</summary>
internal sealed class MeteredUploadWriter : UploadWriter
{
    private readonly UploadWriter _writer;
    private TransferMeter? _meter;

    public MeteredUploadWriter(UploadWriter writer, TransferMeter meter)
    {
        _writer = writer;
        _meter = meter;
        meter.Appending(1);
    }

    public override PipeWriter Body => _writer.Body;

    public override CancellationToken Superseded => _writer.Superseded;

    public override long Offset => _writer.Offset;

    public override long RemainingBytes => _writer.RemainingBytes;

    public override ValueTask<UploadStatus> SaveAsync(CancellationToken cancellationToken) =>
        _writer.SaveAsync(cancellationToken);

    public override ValueTask DiscardAsync() => _writer.DiscardAsync();

    public override ValueTask DisposeAsync()
    {
        Interlocked.Exchange(ref _meter, null)?.Appending(-1);
        return _writer.DisposeAsync();
    }
}

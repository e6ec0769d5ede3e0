namespace Millrace.Transfer.Server;

/// <summary>Hashes what passes on its way to another writer.</summary>
internal sealed class CheckedPipeWriter(PipeWriter destination, ContentCheck check) : ForwardingWriter(destination)
{
    private Memory<byte> _given;

    public override Memory<byte> GetMemory(int sizeHint = 0) => _given = base.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes)
    {
        check.Append(_given.Span[..bytes]);
        _given = _given[bytes..];
        base.Advance(bytes);
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        check.Append(source.Span);
        return Inner.WriteAsync(source, cancellationToken);
    }
}

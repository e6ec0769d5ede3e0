using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>
/// A stored file as a stream that knows its length, for writers of archives that write it before the bytes. It claims that it can
/// seek, because they ask only then for the length; all it can seek to is where it is.
/// </summary>
internal sealed class StoredFileStream(StoredFileReader reader) : ReadOnlyStream
{
    private readonly PipeReader? _content =
        reader.File.Length > 0 ? reader.Read(new ByteRange(0, reader.File.Length)) : null;

    private long _position;

    public override bool CanSeek => true;

    public override long Length => reader.File.Length;

    public override long Position
    {
        get => _position;
        set => Seek(value, SeekOrigin.Begin);
    }

    public override long Seek(long offset, SeekOrigin origin) =>
        origin == SeekOrigin.Begin && offset == _position ? offset : throw new NotSupportedException();

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (_content is null || buffer.IsEmpty)
        {
            return 0;
        }

        ReadResult result = await _content.ReadAsync(cancellationToken);
        int count = (int)Math.Min(buffer.Length, result.Buffer.Length);
        ReadOnlySequence<byte> taken = result.Buffer.Slice(0, count);
        taken.CopyTo(buffer.Span);
        _content.AdvanceTo(taken.End);
        _position += count;
        return count;
    }

    public override async ValueTask DisposeAsync()
    {
        if (_content is not null)
        {
            await _content.CompleteAsync();
        }

        await base.DisposeAsync();
    }
}

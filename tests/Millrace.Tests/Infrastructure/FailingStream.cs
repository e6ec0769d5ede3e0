namespace Millrace.Tests.Infrastructure;

/// <summary>A stream that takes a number of writes and then fails, as a disk that is full does.</summary>
internal sealed class FailingStream(int writesBeforeFailure) : Stream
{
    public const string Reason = "The test's stream is full.";

    private readonly ArrayBufferWriter<byte> _taken = new();
    private int _left = writesBeforeFailure;

    /// <summary>The bytes taken before it failed.</summary>
    public ReadOnlySpan<byte> Taken => _taken.WrittenSpan;

    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>The same stream, which fails no more.</summary>
    public FailingStream Repaired()
    {
        _left = int.MaxValue;
        return this;
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (_left-- <= 0)
        {
            throw new IOException(Reason);
        }

        _taken.Write(buffer);
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        Write(buffer.Span);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override void Flush()
    {
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}

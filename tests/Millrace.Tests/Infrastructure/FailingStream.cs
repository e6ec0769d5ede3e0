namespace Millrace.Tests.Infrastructure;

/// <summary>A stream that takes a number of writes and then fails, as a disk that is full does.</summary>
internal sealed class FailingStream(int writesBeforeFailure) : MemoryStream
{
    public const string Reason = "No space left, says the test.";

    private int _left = writesBeforeFailure;

    /// <summary>What was taken before it failed.</summary>
    public byte[] Taken => ToArray();

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

        base.Write(buffer);
    }

    public override async ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await Task.Yield();
        Write(buffer.Span);
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
}

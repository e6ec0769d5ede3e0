namespace Millrace.Transfer;

/// <summary>A part of another source, which stays the caller's.</summary>
/// <param name="whole">Can go anywhere.</param>
/// <param name="start">Where the part begins.</param>
/// <param name="length">Its bytes.</param>
internal sealed class PartSource(ContentSource whole, long start, long length) : ContentSource
{
    public override long? Length => length;

    public override long Position => whole.Position - start;

    public override bool CanSeek(long offset) => offset >= 0 && offset <= length;

    public override void Seek(long offset) => whole.Seek(start + offset);

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        long left = length - Position;
        if (left == 0)
        {
            return default;
        }

        ReadOnlyMemory<byte> bytes = await whole.ReadAsync(cancellationToken).ConfigureAwait(false);
        return bytes.Length > left ? bytes[..(int)left] : bytes;
    }

    public override ValueTask DisposeAsync() => default;
}

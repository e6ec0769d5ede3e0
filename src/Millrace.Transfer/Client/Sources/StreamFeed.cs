using Millrace.Buffers;

namespace Millrace.Transfer;

/// <summary>A stream that cannot go back. It stays the caller's.</summary>
internal sealed class StreamFeed(Stream stream) : Feed
{
    private readonly NativeBlock _block = BlockPool.Shared.Rent();

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int read = await stream.ReadAsync(_block.Writable[..BlockPool.BodyBytes], cancellationToken).ConfigureAwait(false);
        return _block.Writable[..read];
    }

    public override ValueTask DisposeAsync()
    {
        _block.Release();
        return default;
    }
}

using System.Buffers;

namespace Millrace.Transfer;

/// <summary>A stream that cannot go back. It stays the caller's.</summary>
internal sealed class StreamFeed(Stream stream) : Feed
{
    private readonly IMemoryOwner<byte> _block = AlignedMemoryPool.Shared.Rent(ContentSource.BlockBytes);

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        int read = await stream.ReadAsync(_block.Memory[..ContentSource.BlockBytes], cancellationToken).ConfigureAwait(false);
        return _block.Memory[..read];
    }

    public override ValueTask DisposeAsync()
    {
        _block.Dispose();
        return default;
    }
}

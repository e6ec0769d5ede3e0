using System.Buffers;

namespace Millrace.Transfer;

/// <summary>Memory for one message that has to be held whole.</summary>
/// <remarks>Up to a block's size it is native, so that no array of that size is made.</remarks>
internal struct HeldMessage : IDisposable
{
    private IMemoryOwner<byte>? _block;
    private byte[]? _array;

    public Memory<byte> Memory { get; private set; }

    public readonly bool IsNone => _block is null && _array is null;

    public static HeldMessage Of(int bytes)
    {
        var message = new HeldMessage();
        if (bytes <= AlignedMemoryPool.Shared.MaxBufferSize)
        {
            message._block = AlignedMemoryPool.Shared.Rent(bytes);
            message.Memory = message._block.Memory[..bytes];
            return message;
        }

        message._array = ArrayPool<byte>.Shared.Rent(bytes);
        message.Memory = message._array.AsMemory(0, bytes);
        return message;
    }

    public void Cut(int bytes) => Memory = Memory[..bytes];

    public void Dispose()
    {
        _block?.Dispose();
        if (_array is not null)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }

        this = default;
    }
}

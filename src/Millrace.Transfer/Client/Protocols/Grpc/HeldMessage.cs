using System.Buffers;

namespace Millrace.Transfer;

/// <summary>Memory for one message that has to be held as a whole: a compressed one, or one of the ways with arrays.</summary>
/// <remarks>Up to a block's size it is native, so that no array of that size is made.</remarks>
internal struct HeldMessage : IDisposable
{
    private IMemoryOwner<byte>? _block;
    private byte[]? _array;
    private bool _rented;

    /// <summary>The message.</summary>
    public Memory<byte> Memory { get; private set; }

    /// <summary>Whether there is none.</summary>
    public readonly bool IsNone => _block is null && _array is null;

    /// <summary>Memory that nobody counts: a block where one is large enough.</summary>
    public static HeldMessage Of(int bytes)
    {
        var message = new HeldMessage();
        if (bytes <= AlignedMemoryPool.Shared.MaxBufferSize)
        {
            message._block = AlignedMemoryPool.Shared.Rent(bytes);
            message.Memory = message._block.Memory[..bytes];
            return message;
        }

        return Of(bytes, ChunkHandling.RentedArray);
    }

    /// <summary>An array, as a way of handling chunks wants it.</summary>
    public static HeldMessage Of(int bytes, ChunkHandling handling)
    {
        var message = new HeldMessage { _rented = handling != ChunkHandling.ByteArray };
        message._array = message._rented ? ArrayPool<byte>.Shared.Rent(bytes) : new byte[bytes];
        message.Memory = message._array.AsMemory(0, bytes);
        return message;
    }

    /// <summary>It has fewer bytes than there was room for.</summary>
    public void Cut(int bytes) => Memory = Memory[..bytes];

    public void Dispose()
    {
        _block?.Dispose();
        if (_rented && _array is not null)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }

        this = default;
    }
}

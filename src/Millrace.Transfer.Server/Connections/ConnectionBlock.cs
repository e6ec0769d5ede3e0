using System.Buffers;

namespace Millrace.Transfer.Server;

/// <summary>A block of <see cref="ConnectionMemoryPool"/>; disposing it gives it back.</summary>
internal sealed class ConnectionBlock(ConnectionMemoryPool pool, int bytes) : IMemoryOwner<byte>
{
    // An array, because Kestrel's sender takes no other memory; pinned, because the system writes to it.
    private readonly byte[] _array = GC.AllocateUninitializedArray<byte>(bytes, pinned: true);
    private int _lent = 1;

    public int Bytes => bytes;

    public Memory<byte> Memory => _array;

    /// <summary>It was free and now belongs to somebody again.</summary>
    public void Lend() => _lent = 1;

    public void Dispose()
    {
        // Twice would make two connections share it.
        if (Interlocked.Exchange(ref _lent, 0) == 1)
        {
            pool.Return(this);
        }
    }
}

using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Kestrel;

/// <summary>Gives everything in an application the same pool. Disposing it has no effect: the application's services own the pool.</summary>
/// <remarks>
/// Blocks have at least 64 KiB. Kestrel asks for 4 KiB, and its sockets would need sixteen times as many system calls to receive a file.
/// </remarks>
internal sealed class SharedMemory(BlockPool pool) : MemoryPool<byte>, IMemoryPoolFactory<byte>
{
    public const int MinBytes = 64 * 1024;

    public override int MaxBufferSize => pool.MaxBufferSize;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => this;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => pool.Rent(Math.Max(minBufferSize, MinBytes));

    protected override void Dispose(bool disposing)
    {
    }
}

using System.Buffers;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>The memory of one connection: blocks of the server's pool, counted by a <see cref="BufferLimit"/>.</summary>
/// <remarks>Thread-safe, except that only the limit uses the state, under its lock.</remarks>
internal sealed class ConnectionMemory(BufferLimit limit, ConnectionMemoryPool pool, ConnectionContext connection)
    : MemoryPool<byte>, IMemoryPoolFeature
{
    public MemoryPool<byte> MemoryPool => this;

    public override int MaxBufferSize => pool.MaxBufferSize;

    public string Address { get; } = connection.RemoteEndPoint?.ToString() ?? "-";

    public long HeldBytes { get; set; }

    public bool IsAborted { get; set; }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ConnectionBlock block = pool.Rent(minBufferSize, this);
        limit.Count(this, block.Bytes);
        return block;
    }

    public void Return(int bytes) => limit.Count(this, -bytes);

    public void Abort(string reason) => connection.Abort(new ConnectionAbortedException(reason));

    protected override void Dispose(bool disposing)
    {
    }
}

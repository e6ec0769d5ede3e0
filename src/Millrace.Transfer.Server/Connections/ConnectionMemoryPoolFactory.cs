using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace Millrace.Transfer.Server;

/// <summary>Gives Kestrel's transport <see cref="ConnectionMemoryPool"/>s. Thread-safe.</summary>
internal sealed class ConnectionMemoryPoolFactory : IMemoryPoolFactory<byte>
{
    /// <inheritdoc/>
    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => new ConnectionMemoryPool();
}

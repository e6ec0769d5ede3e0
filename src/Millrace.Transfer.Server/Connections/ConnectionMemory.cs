using System.Buffers;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>The memory of one connection: blocks of the application's pool, counted by a <see cref="BufferLimit"/>.</summary>
/// <remarks>Thread-safe, except that only the limit uses the state, under its lock.</remarks>
internal sealed class ConnectionMemory(BufferLimit limit, MemoryPool<byte> pool, ConnectionContext connection)
    : MemoryPool<byte>, IMemoryPoolFeature
{
    private readonly Lock _lock = new();
    private readonly Stack<Counted> _spare = new();

    public MemoryPool<byte> MemoryPool => this;

    public override int MaxBufferSize => pool.MaxBufferSize;

    public string Address { get; } = connection.RemoteEndPoint?.ToString() ?? "-";

    public long HeldBytes { get; set; }

    public bool IsAborted { get; set; }

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        IMemoryOwner<byte> block = pool.Rent(minBufferSize);
        limit.Count(this, block.Memory.Length);
        Counted? counted;
        lock (_lock)
        {
            _spare.TryPop(out counted);
        }

        return (counted ?? new Counted(this)).Lend(block);
    }

    public void Abort(string reason) => connection.Abort(new ConnectionAbortedException(reason));

    protected override void Dispose(bool disposing)
    {
    }

    private void Return(Counted counted, IMemoryOwner<byte> block)
    {
        limit.Count(this, -block.Memory.Length);
        block.Dispose();
        lock (_lock)
        {
            _spare.Push(counted);
        }
    }

    /// <summary>A block that is counted as given back when it is disposed, once.</summary>
    private sealed class Counted(ConnectionMemory memory) : IMemoryOwner<byte>
    {
        private IMemoryOwner<byte>? _block;

        public Memory<byte> Memory { get; private set; }

        public Counted Lend(IMemoryOwner<byte> block)
        {
            _block = block;
            Memory = block.Memory;
            return this;
        }

        public void Dispose()
        {
            // Twice would make two requests share it.
            if (Interlocked.Exchange(ref _block, null) is { } block)
            {
                Memory = default;
                memory.Return(this, block);
            }
        }
    }
}

using System.Buffers;
using System.Globalization;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Millrace.Transfer.Server;

/// <summary>
/// Limits the memory in which Kestrel keeps, for all connections together, unread received and unsent written
/// bytes. Over the limit, the connection that holds the most is aborted: its client can resume. Nothing waits, so nothing can come to a
/// standstill.
/// </summary>
/// <remarks>Thread-safe.</remarks>
/// <param name="maxBytes">Bytes for all connections that were not aborted; twice as many with those that were.</param>
/// <param name="pool">What connections use in place of the transport's pool.</param>
/// <param name="logger">Gets a warning for each connection that is aborted.</param>
internal sealed class BufferLimit(long maxBytes, MemoryPool<byte> pool, ILogger logger)
{
    /// <summary>Bytes up to which a connection is never aborted.</summary>
    /// <remarks>An upload that is read as it arrives, and a download, hold less.</remarks>
    public const int FairBytes = 512 * 1024;

    private readonly Lock _lock = new();
    private readonly HashSet<ConnectionMemory> _connections = [];
    private long _held;
    private long _aborted;

    /// <summary>Bytes that are lent now.</summary>
    internal long HeldBytes
    {
        get
        {
            lock (_lock)
            {
                return _held;
            }
        }
    }

    /// <summary>Runs a connection whose memory counts. Kestrel takes the pool from the features of the connection.</summary>
    public async Task RunAsync(ConnectionContext connection, ConnectionDelegate next)
    {
        using var memory = new ConnectionMemory(this, pool, connection);
        Open(memory);
        try
        {
            connection.Features.Set<IMemoryPoolFeature>(memory);
            await next(connection);
        }
        finally
        {
            Close(memory);
        }
    }

    internal void Open(ConnectionMemory connection)
    {
        lock (_lock)
        {
            _connections.Add(connection);
        }
    }

    /// <summary>Stops counting a connection, also blocks that it may never give back.</summary>
    internal void Close(ConnectionMemory connection)
    {
        lock (_lock)
        {
            _connections.Remove(connection);
            _held -= connection.HeldBytes;
            _aborted -= connection.IsAborted ? connection.HeldBytes : 0;
            connection.HeldBytes = 0;
        }
    }

    /// <summary>Counts a block that a connection has taken, or, if negative, given back.</summary>
    internal void Count(ConnectionMemory connection, int bytes)
    {
        ConnectionMemory? largest;
        long held;
        long largestBytes;
        lock (_lock)
        {
            if (!_connections.Contains(connection))
            {
                return;
            }

            connection.HeldBytes += bytes;
            _held += bytes;
            _aborted += connection.IsAborted ? bytes : 0;
            largest = bytes > 0 && IsExceeded ? Largest() : null;
            if (largest is null)
            {
                return;
            }

            held = _held;
            largestBytes = largest.HeldBytes;
            largest.IsAborted = true;
            _aborted += largestBytes;
        }

        Abort(largest, largestBytes, held);
    }

    private void Abort(ConnectionMemory connection, long bytes, long held)
    {
        logger.BuffersExceeded(held, maxBytes, connection.Address, bytes);
        string reason = string.Create(CultureInfo.InvariantCulture, $"All connections hold {held} bytes, and {maxBytes} are allowed.");

        // Not here: Kestrel asks for blocks while it holds locks.
        ThreadPool.UnsafeQueueUserWorkItem(_ => connection.Abort(reason), null);
    }

    /// <remarks>
    /// An aborted connection gives its memory back as soon as its requests have ended. So that no others are aborted until then, it counts
    /// only towards twice the limit, which is reached when requests cannot end, because a disk hangs.
    /// </remarks>
    private bool IsExceeded => _held - _aborted > maxBytes || _held > 2 * maxBytes;

    private ConnectionMemory? Largest()
    {
        ConnectionMemory? largest = null;
        long bytes = FairBytes;
        foreach (ConnectionMemory connection in _connections)
        {
            if (connection.HeldBytes > bytes && !connection.IsAborted)
            {
                largest = connection;
                bytes = connection.HeldBytes;
            }
        }

        return largest;
    }
}

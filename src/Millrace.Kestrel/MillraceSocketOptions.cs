using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace Millrace.Kestrel;

/// <summary>Options of the transport that <see cref="MillraceSockets.UseMillraceSockets"/> installs.</summary>
public sealed class MillraceSocketOptions
{
    /// <summary>What fits a request without a body.</summary>
    internal const int MinBlockBytes = 4 * 1024;

    /// <summary>The largest block of the pool: a copy of more does not stay in the second-level cache.</summary>
    internal const int LargestBlockBytes = 256 * 1024;

    internal const int DefaultBacklog = 512;
    internal const long DefaultReadBufferBytes = 1024 * 1024;
    internal const long DefaultWriteBufferBytes = 64 * 1024;

    /// <summary>As long as Kestrel waits for the headers of a request.</summary>
    internal static readonly TimeSpan DefaultPrefaceTimeout = TimeSpan.FromSeconds(30);

    private int _backlog = DefaultBacklog;
    private int _maxReadBytes = LargestBlockBytes;
    private TimeSpan _prefaceTimeout = DefaultPrefaceTimeout;
    private long _readBufferBytes = DefaultReadBufferBytes;
    private long _writeBufferBytes = DefaultWriteBufferBytes;

    /// <summary>Connections that the system may hold before they are accepted. 1 or more; 512 by default.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int Backlog
    {
        get => _backlog;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _backlog = value;
        }
    }

    /// <summary>
    /// Makes a socket that is bound to an address and does not listen yet. Kestrel owns it. By default it is
    /// <see cref="SocketTransportOptions.CreateDefaultBoundListenSocket"/>.
    /// </summary>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    public Func<EndPoint, Socket> CreateBoundListenSocket
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = SocketTransportOptions.CreateDefaultBoundListenSocket;

    /// <summary>Whether TCP sends small packets at once (TCP_NODELAY). True by default, as in Kestrel's transport.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// The largest block that a connection receives into, in bytes: 4 KiB to 256 KiB, 256 KiB by default. Blocks start at 4 KiB and
    /// grow only while the peer fills them.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside of the range.</exception>
    public int MaxReadBytes
    {
        get => _maxReadBytes;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, MinBlockBytes);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, LargestBlockBytes);
            _maxReadBytes = value;
        }
    }

    /// <summary>
    /// With <see cref="Http2PriorKnowledge.ListenWithHttp2PriorKnowledge"/>: how long after its first byte a connection may have sent only a
    /// part of HTTP/2's preface; then it is closed. 1 ms to 24 days; 30 s by default.
    /// </summary>
    /// <remarks>For a connection that sent nothing, Kestrel's <c>KeepAliveTimeout</c> applies.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside of the range.</exception>
    public TimeSpan PrefaceTimeout
    {
        get => _prefaceTimeout;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromMilliseconds(1));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(24));
            _prefaceTimeout = value;
        }
    }

    /// <summary>
    /// Unread received bytes at which a connection stops receiving; it resumes below half of that. 1 or more; 1 MiB by
    /// default, as in Kestrel's transport.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public long ReadBufferBytes
    {
        get => _readBufferBytes;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _readBufferBytes = value;
        }
    }

    /// <summary>
    /// Bytes that a flush may leave to be sent in the background. With more, it waits until half of this is left; it also waits for all
    /// bytes of files. 0 or more; 64 KiB by default, as in Kestrel's transport.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public long WriteBufferBytes
    {
        get => _writeBufferBytes;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _writeBufferBytes = value;
        }
    }

    /// <summary>Whether Linux's own calls are used; tests turn them off.</summary>
    internal bool Native { get; set; } = SocketSend.IsAvailable && EventPoll.IsAvailable;
}

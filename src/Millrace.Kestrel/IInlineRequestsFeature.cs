using System.Diagnostics.CodeAnalysis;

namespace Millrace.Kestrel;

/// <summary>
/// Chooses the thread that runs the requests of a connection over HTTP/1.1 without TLS. Each connection of this transport has this feature, and
/// each of its requests.
/// </summary>
/// <remarks>
/// On Linux the thread that waits for the events of many sockets can run a request itself, which saves a hop between threads. A request that blocks
/// there holds up other connections. Elsewhere it has an effect only with <c>DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS=1</c>.
/// </remarks>
[Experimental("MILLRACE004")]
public interface IInlineRequestsFeature
{
    /// <summary>
    /// Whether the thread that waited for the next bytes handles them; false, the default, for a thread of the pool. Set it to
    /// true only while the connection's next request, and the rest of this one, are certain not to block before they first yield to the thread pool.
    /// It stays false until the connection's first request. Callable from any thread.
    /// </summary>
    bool RunsInline { get; set; }
}

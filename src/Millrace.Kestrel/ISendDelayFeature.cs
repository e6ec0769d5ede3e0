using System.Diagnostics.CodeAnalysis;

namespace Millrace.Kestrel;

/// <summary>
/// Sends several small writes together. Each connection of this transport has this feature, and so have its requests.
/// </summary>
[Experimental("MILLRACE002")]
public interface ISendDelayFeature
{
    /// <summary>
    /// Holds back later writes until the time is over. More than <see cref="MillraceSocketOptions.WriteBufferBytes"/>, and
    /// ranges of files, are sent at once. Callable from any thread; a later call replaces the time.
    /// </summary>
    /// <remarks>
    /// Under HTTP/2 this delays all requests of the connection. Use it, for example, where the client must not see a status without the
    /// reset that follows: Kestrel flushes both separately.
    /// </remarks>
    /// <param name="time">More than zero, 1 s at most.</param>
    /// <exception cref="ArgumentOutOfRangeException">The time is outside of the range.</exception>
    void DelaySending(TimeSpan time);
}

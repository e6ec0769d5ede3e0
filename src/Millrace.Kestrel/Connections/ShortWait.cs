using System.Net.Sockets;

namespace Millrace.Kestrel;

/// <summary>Waiting on a thread for a receiver that makes room within a millisecond, which costs less than hops between threads.</summary>
internal static class ShortWait
{
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(2);

    /// <summary>How many threads wait at once; half of those that the thread pool always has.</summary>
    private static readonly int MaxWaits = Environment.ProcessorCount / 2;

    private static int s_waits;

    /// <returns>Whether sending goes on, with room or an error; null when too many threads wait already.</returns>
    public static bool? ForRoom(Socket socket)
    {
        try
        {
            return Interlocked.Increment(ref s_waits) > MaxWaits ? null : socket.Poll(Longest, SelectMode.SelectWrite);
        }
        catch (Exception exception) when (exception is ObjectDisposedException or SocketException)
        {
            // Sending finds out.
            return true;
        }
        finally
        {
            Interlocked.Decrement(ref s_waits);
        }
    }
}

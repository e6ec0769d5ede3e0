using System.Net.Sockets;
using System.Text;

namespace Millrace.Cli;

/// <summary>Tells systemd when the server is ready and when it stops, for units with Type=notify: sd_notify(3).</summary>
internal static class ServiceManager
{
    public static void Notify(string state)
    {
        if (OperatingSystem.IsWindows() || Environment.GetEnvironmentVariable("NOTIFY_SOCKET") is not { Length: > 0 } path || path[0] is not ('/' or '@'))
        {
            return;
        }

        try
        {
            // The sign for a name that is in no folder.
            string name = path[0] == '@' ? "\0" + path[1..] : path;
            using var socket = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
            socket.SendTo(Encoding.UTF8.GetBytes(state), new UnixDomainSocketEndPoint(name));
        }
        catch (SocketException exception)
        {
            Console.Error.WriteLine($"millrace serve: systemd could not be told '{state}': {exception.Message}");
        }
    }
}

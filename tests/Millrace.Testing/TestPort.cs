using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Millrace.Testing;

/// <summary>Ports for programs that cannot choose one themselves.</summary>
public static class TestPort
{
    /// <summary>Waits until a program listens.</summary>
    /// <returns>False when it has ended, because another program was given the port first.</returns>
    public static async Task<bool> IsListeningAsync(Process proxy, int port)
    {
        await Bounded.UntilAsync(() => proxy.HasExited || Listens(proxy.Id, port));
        return !proxy.HasExited;
    }

    /// <summary>Whether a process itself listens on a port: a connection would also be made to another program that was given it.</summary>
    private static bool Listens(int process, int port)
    {
        try
        {
            string[] files = [.. Directory.EnumerateFileSystemEntries($"/proc/{process}/fd").Select(static file => new FileInfo(file).LinkTarget ?? "")];

            // proc_pid_net(5): the local address, the state (0A is LISTEN) and the inode are the second, fourth and tenth fields.
            return File.ReadLines("/proc/net/tcp").Concat(File.ReadLines("/proc/net/tcp6"))
                .Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                .Any(fields => fields[1].EndsWith($":{port:X4}", StringComparison.Ordinal) && fields[3] == "0A" && files.Contains($"socket:[{fields[9]}]"));
        }
        catch (IOException)
        {
            // It has ended.
            return false;
        }
    }

    /// <summary>A port without a listener, until the socket is closed: it is bound, so that no other program gets it.</summary>
    public static Socket Hold()
    {
        var held = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        held.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return held;
    }

    /// <summary>A port that was free a moment ago.</summary>
    public static int Free()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}

using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server;

internal static class ListenAddress
{
    public static IPAddress Parse(string host)
    {
        if (host == "*")
        {
            // Where there is IPv6, its any-address takes IPv4 as well.
            return Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any;
        }

        if (host.Equals("localhost", StringComparison.OrdinalIgnoreCase))
        {
            return IPAddress.Loopback;
        }

        return IPAddress.TryParse(host, out IPAddress? address)
            ? address
            : throw Errors.Invalid(
                $"'{host}' is not a valid listen address. Use an IP address of this machine, 'localhost', or '*' for all of them.");
    }

    /// <summary>Whether only this machine reaches the address on which a server listens.</summary>
    /// <param name="options">The server's options.</param>
    /// <param name="where">The address, for messages.</param>
    /// <exception cref="TransferException">It is not a valid address.</exception>
    public static bool IsLocal(TransferHostOptions options, out string where)
    {
        EndPoint? given = options.ListenSocket?.LocalEndPoint;
        where = given?.ToString() ?? options.SocketPath ?? options.Host;
        return given switch
        {
            IPEndPoint port => IPAddress.IsLoopback(port.Address),
            null => options.SocketPath is not null || IPAddress.IsLoopback(Parse(options.Host)),
            _ => true,
        };
    }

    /// <summary>The host and the port in URLs; for a Unix socket, whose clients name any host, <c>localhost</c>.</summary>
    public static string InUrl(EndPoint endPoint)
    {
        if (endPoint is not IPEndPoint { Address: var address, Port: var port })
        {
            return "localhost";
        }

        string host = address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any) ? Environment.MachineName
            : address.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{address}]"
            : address.ToString();
        return string.Create(CultureInfo.InvariantCulture, $"{host}:{port}");
    }
}

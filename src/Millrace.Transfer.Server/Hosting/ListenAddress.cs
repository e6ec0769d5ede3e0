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

    public static string InUrl(IPAddress address)
    {
        if (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
        {
            return Environment.MachineName;
        }

        return address.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{address}]" : address.ToString();
    }
}

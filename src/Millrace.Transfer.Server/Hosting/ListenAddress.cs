using System.Net;
using System.Net.Sockets;

namespace Millrace.Transfer.Server;

/// <summary>What a server is asked to listen on.</summary>
internal static class ListenAddress
{
    /// <summary>Reads an address, <c>localhost</c>, or <c>*</c>.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: it is none.</exception>
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
            : throw new TransferException(
                TransferError.InvalidRequest,
                $"'{host}' is no address to listen on. Use an IP address of this machine, 'localhost', or '*' for all of them.");
    }

    /// <summary>How others call it in a URL.</summary>
    public static string InUrl(IPAddress address)
    {
        if (address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any))
        {
            return Environment.MachineName;
        }

        return address.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{address}]" : address.ToString();
    }
}

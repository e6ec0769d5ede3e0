using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The addresses at which other devices reach this machine, the likeliest first.</summary>
internal static class LanAddresses
{
    private const int MaxLooks = 10;

    private static readonly IPNetwork ForTests = IPNetwork.Parse("198.18.0.0/15");

    // Networks of virtual machines and containers on this machine, which no other device can reach.
    private static readonly string[] Virtual = ["docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "podman", "cni", "lxc", "lxd"];

    /// <summary>The URLs of the server's files for other devices; none if only this machine reaches it.</summary>
    public static IReadOnlyList<Uri> UrlsOf(TransferServer server, TransferHostOptions options)
    {
        bool isAny = IPAddress.TryParse(options.Host, out IPAddress? host) ? host.Equals(IPAddress.Any) || host.Equals(IPAddress.IPv6Any) : options.Host == "*";
        if (!isAny || server.SocketPath is not null || options.ListenSocket is not null)
        {
            return [];
        }

        return [.. Find(withIPv6: !IPAddress.Any.Equals(host)).Select(address => new UriBuilder(server.Address)
        {
            Host = address.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{address}]" : $"{address}",
            Path = options.PathBase + options.Endpoints.FilesPath + "/",
        }.Uri)];
    }

    public static IReadOnlyList<IPAddress> Find(bool withIPv6)
    {
        for (int looks = 0; looks < MaxLooks; looks++)
        {
            try
            {
                return List(withIPv6);
            }
            catch (NetworkInformationException)
            {
                // An interface was removed meanwhile.
            }
        }

        return [];
    }

    private static IReadOnlyList<IPAddress> List(bool withIPv6) =>
    [
        .. NetworkInterface.GetAllNetworkInterfaces()
            .Where(static one => one is { OperationalStatus: OperationalStatus.Up or OperationalStatus.Unknown, NetworkInterfaceType: not NetworkInterfaceType.Loopback })
            .OrderBy(static one => Virtual.Any(name => one.Name.StartsWith(name, StringComparison.OrdinalIgnoreCase)))
            .SelectMany(static one => one.GetIPProperties().UnicastAddresses)
            .Select(static one => one.Address)
            .Where(IsOfLan)
            .Where(one => one.AddressFamily == AddressFamily.InterNetwork || (withIPv6 && one is { AddressFamily: AddressFamily.InterNetworkV6, IsIPv6LinkLocal: false }))
            .OrderBy(static one => one.AddressFamily == AddressFamily.InterNetworkV6)
            .Distinct(),
    ];

    /// <summary>Whether it is not one of RFC 2544's networks for tests, which no other device can reach.</summary>
    internal static bool IsOfLan(IPAddress address) => !ForTests.Contains(address);
}

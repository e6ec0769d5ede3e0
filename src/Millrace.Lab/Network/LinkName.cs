using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Millrace.Lab.Network;

/// <summary>The names and addresses of a <see cref="ShapedLink"/>, which say whose it is: a process that was killed leaves it.</summary>
/// <param name="Owner">The process's id.</param>
/// <param name="Number">Which of that process it is.</param>
internal sealed record LinkName(int Owner, int Number)
{
    /// <summary>Of namespaces and interfaces; these may have 15 characters, and a process's id has 7.</summary>
    private const string Prefix = "mr";

    /// <summary>RFC 2544 has 198.18.0.0/15 for measuring networks; nobody else's packets go there.</summary>
    private const uint FirstAddress = (198u << 24) | (18u << 16);

    private const uint AddressesOfLink = 4;
    private const uint Links = (1u << 17) / AddressesOfLink;

    /// <summary>Of the network namespace at the far end.</summary>
    public string Namespace => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Owner}-{Number}");

    /// <summary>Of the interface on this side.</summary>
    public string Near => Namespace + "a";

    /// <summary>Of the interface in the namespace.</summary>
    public string Far => Namespace + "b";

    /// <summary>Finds out whose a namespace is.</summary>
    /// <returns>False when it is not one of these.</returns>
    public static bool TryParse(string name, [NotNullWhen(true)] out LinkName? link)
    {
        string[] parts = name.StartsWith(Prefix, StringComparison.Ordinal) ? name[Prefix.Length..].Split('-') : [];
        link = parts.Length == 2
            && int.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out int owner)
            && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int number)
                ? new LinkName(owner, number)
                : null;
        return link is not null;
    }

    /// <summary>Two addresses of a network of four that no interface of this machine is in.</summary>
    public (IPAddress Near, IPAddress Far) FindAddresses()
    {
        var taken = NetworkInterface.GetAllNetworkInterfaces()
            .SelectMany(each => each.GetIPProperties().UnicastAddresses)
            .Where(each => each.Address.AddressFamily == AddressFamily.InterNetwork)
            .Select(each => ToNumber(each.Address) / AddressesOfLink)
            .ToHashSet();
        uint link = (uint)(Owner + Number) % Links;
        while (taken.Contains((FirstAddress / AddressesOfLink) + link))
        {
            link = (link + 1) % Links;
        }

        uint network = FirstAddress + (link * AddressesOfLink);
        return (ToAddress(network + 1), ToAddress(network + 2));
    }

    private static uint ToNumber(IPAddress address) =>
        System.Buffers.Binary.BinaryPrimitives.ReadUInt32BigEndian(address.GetAddressBytes());

    private static IPAddress ToAddress(uint number) => new((long)(uint)IPAddress.HostToNetworkOrder((int)number));
}

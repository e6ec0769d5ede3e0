using System.Diagnostics.CodeAnalysis;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace Millrace.Lab.Network;

/// <summary>
/// A link of a given bandwidth on one machine: a network namespace and a pair of interfaces between it and everything else,
/// with a token bucket (tc-tbf(8)) at both ends. Linux only; needs root, iproute2 and util-linux.
/// </summary>
/// <remarks>
/// <para>
/// The server's end runs in the namespace and listens on <see cref="Far"/>, where it is reached from outside:
/// <c>using var link = ShapedLink.Create(1_000_000_000); var host = new WorkerHost(link.Inside(WorkerCommand.Self()));</c>
/// The round trip is a <see cref="Relay"/>'s matter.
/// </para>
/// <para>
/// A process that is killed leaves its link; the next link that is made removes those of dead processes. Processes in
/// the namespace are their owner's to end: they keep it alive, without the link.
/// </para>
/// </remarks>
[SupportedOSPlatform("linux")]
internal sealed class ShapedLink : IDisposable
{
    /// <summary>Bytes that may go at once: the largest packet of a modern kernel's segmentation offload, four times.</summary>
    /// <remarks>At 1 Gbit/s that is 2 ms, which no figure of a transfer shows.</remarks>
    private const int BurstBytes = 256 * 1024;

    /// <summary>Bytes that wait for their turn at most; what TCP's queues of one connection and some more hold.</summary>
    /// <remarks>Less drops packets, and then it is TCP's recovery that is measured.</remarks>
    private const int LimitBytes = 8 * 1024 * 1024;
    private const string NamespaceFolder = "/run/netns";

    private static int Created;

    private readonly LinkName _name;

    private ShapedLink(LinkName name, long bitsPerSecond, IPAddress near, IPAddress far)
    {
        _name = name;
        BitsPerSecond = bitsPerSecond;
        Near = near;
        Far = far;
    }

    public long BitsPerSecond { get; }
    public IPAddress Near { get; }
    public IPAddress Far { get; }

    public string Namespace => _name.Namespace;

    public string NearInterface => _name.Near;

    public string FarInterface => _name.Far;

    /// <exception cref="LinkUnavailableException">This machine does not allow it; the message has the reason.</exception>
    public static ShapedLink Create(long bitsPerSecond)
    {
        const long MinBitsPerSecond = 8_000;
        ArgumentOutOfRangeException.ThrowIfLessThan(bitsPerSecond, MinBitsPerSecond);
        RequireRoot();
        RemoveLeftovers();
        var name = new LinkName(Environment.ProcessId, Interlocked.Increment(ref Created));
        (IPAddress near, IPAddress far) = name.FindAddresses();
        var link = new ShapedLink(name, bitsPerSecond, near, far);
        try
        {
            link.Make();
        }
        catch
        {
            link.Dispose();
            throw;
        }

        return link;
    }

    /// <summary>The same command, in the namespace. The process is the one that is started: no other one is between.</summary>
    public WorkerCommand Inside(WorkerCommand command)
    {
        // Not 'ip netns exec': that mounts another /sys, in which a process does not find its cgroup's limits.
        return new WorkerCommand("nsenter", [$"--net={NamespaceFolder}/{Namespace}", "--", command.FileName, .. command.Arguments]);
    }

    public void Dispose() => Remove(_name);

    private static void RequireRoot()
    {
        if (!Environment.IsPrivilegedProcess)
        {
            throw new LinkUnavailableException(
                "A shaped link needs root: it makes a network namespace and interfaces. Run the laboratory as root, or in a container that allows it (--cap-add NET_ADMIN,SYS_ADMIN).");
        }
    }

    private static void RemoveLeftovers()
    {
        if (!Directory.Exists(NamespaceFolder))
        {
            return;
        }

        foreach (string path in Directory.EnumerateFiles(NamespaceFolder))
        {
            if (LinkName.TryParse(Path.GetFileName(path), out LinkName? left) && !Exists(left.Owner))
            {
                Remove(left);
            }
        }
    }

    private static bool Exists(int process)
    {
        try
        {
            using var found = Process.GetProcessById(process);
            return true;
        }
        catch (ArgumentException)
        {
            return false;
        }
    }

    private static void Remove(LinkName name)
    {
        // The interface first: a process in the namespace keeps that alive, and the pair with it.
        NetworkTool.TryRun("ip", "link", "delete", name.Near);
        NetworkTool.TryRun("ip", "netns", "delete", name.Namespace);
    }

    private void Make()
    {
        NetworkTool.Run("nsenter", "--version");
        NetworkTool.Run("ip", "netns", "add", Namespace);
        NetworkTool.Run(
            "ip", "link", "add", NearInterface, "type", "veth", "peer", "name", FarInterface, "netns", Namespace);
        Raise([], NearInterface, Near);
        Raise(["-n", Namespace], FarInterface, Far);
        NetworkTool.Run("ip", "-n", Namespace, "link", "set", "lo", "up");
    }

    private void Raise(IReadOnlyList<string> where, string name, IPAddress address)
    {
        NetworkTool.Run("ip", [.. where, "address", "add", $"{address}/30", "dev", name]);
        NetworkTool.Run("ip", [.. where, "link", "set", name, "up"]);
        NetworkTool.Run("tc", [.. where, "qdisc", "add", "dev", name, "root", "tbf",
            "rate", Text(BitsPerSecond) + "bit", "burst", Text(BurstBytes) + "b", "limit", Text(LimitBytes) + "b"]);
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}

/// <summary>The names and addresses of a <see cref="ShapedLink"/>, which say whose it is: a process that was killed leaves it.</summary>
/// <param name="Owner">The process's id.</param>
internal sealed record LinkName(int Owner, int Number)
{
    /// <summary>Of namespaces and interfaces; these may have 15 characters, and a process's id has 7.</summary>
    private const string Prefix = "mr";

    /// <summary>RFC 2544 has 198.18.0.0/15 for measuring networks; no other packets go there.</summary>
    private const uint FirstAddress = (198u << 24) | (18u << 16);
    private const uint AddressesOfLink = 4;
    private const uint Links = (1u << 17) / AddressesOfLink;

    public string Namespace => string.Create(CultureInfo.InvariantCulture, $"{Prefix}{Owner}-{Number}");

    public string Near => Namespace + "a";

    public string Far => Namespace + "b";

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

/// <summary>A <see cref="ShapedLink"/> cannot be made on this machine; the message names the missing part.</summary>
internal sealed class LinkUnavailableException(string message, Exception? innerException = null)
    : LabException(message, innerException);

using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Primitives;

namespace Millrace.Transfer.Server;

/// <summary>The names for which a server without tokens answers.</summary>
/// <remarks>
/// A web page can give its own name the address of this machine (DNS rebinding); a browser then takes the server for a part
/// of that page's site. Addresses, and names that no page can have, are safe from that.
/// </remarks>
internal sealed class HostNames
{
    private readonly TransferHostOptions _options;
    private readonly List<StringSegment> _names;

    /// <summary>The last text of the field that was found to be one of the names.</summary>
    private volatile string? _last;

    public HostNames(TransferHostOptions options)
    {
        _options = options;
        _names =
            ["localhost", Environment.MachineName, Dns.GetHostName(), .. options.HostNames.Select(name => new StringSegment(name))];
        if (options.PublicUrl is { } url)
        {
            _names.Add(url.Host);
        }
    }

    /// <summary>The host of a request; empty for one that is wrongly encoded (<c>xn--</c>), which no server has.</summary>
    public static HostString Of(HttpRequest request)
    {
        try
        {
            return request.Host;
        }
        catch (ArgumentException)
        {
            return default;
        }
    }

    /// <summary>Whether a request is for one of the names.</summary>
    public bool Contains(HttpRequest request)
    {
        StringValues field = request.Headers.Host;
        if (field.Count == 1 && field[0] is { } text && text == _last)
        {
            return true;
        }

        bool contains = Of(request) is { HasValue: true, Host: var host } && (IsAddress(host) || HostString.MatchesAny(host, _names));
        _last = contains && field.Count == 1 ? field[0] : _last;
        return contains;
    }

    public Refusal Refuse(HttpRequest request) => new(
        TransferError.Forbidden,
        $"Without a token, this server answers only for IP addresses, localhost, the machine's name and names that its owner gave it; this request is for '{NameEncoding.Printable(request.Headers.Host.ToString())}'. If that is a name of this server, its owner can add it ({_options.NameOf("TransferHostOptions.HostNames")}), or create a token ({_options.NameOf("TransferAccessOptions.Tokens")}).{AdviceOf(request)}")
    {
        Status = StatusCodes.Status421MisdirectedRequest,
    };

    /// <summary>A proxy that passes the host on as it came has nothing else to say about it.</summary>
    private string AdviceOf(HttpRequest request) =>
        request.Headers[PublicPath.HostField] is { Count: > 0 } host && host != request.Headers.Host
            ? PublicPath.AdviceOf(request, _options.NameOf)
            : "";

    private static bool IsAddress(string host) =>
        IPAddress.TryParse(host, out IPAddress? address)
        && (address.AddressFamily == AddressFamily.InterNetworkV6
            ? host.StartsWith('[')
            : address.ToString() == host);
}

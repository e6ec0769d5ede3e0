using System.Net;
using System.Runtime.Versioning;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Millrace.Lab.Network;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// Links of given bandwidths with a server at the far end of each, and relays that make the ways to it longer, all begun
/// when they are asked for.
/// </summary>
/// <remarks>
/// A server tells its ports, so a relay listens on the one that it leads to, at an address of loopback that stands for its
/// round trip.
/// </remarks>
/// <param name="request">What the servers serve.</param>
internal sealed class LinkServers(ServeRequest request) : IDisposable
{
    private readonly Dictionary<long, (ShapedLink Link, IServedFiles Server)> _links = [];
    private readonly Dictionary<(LinkRates Rates, int Port), Relay> _relays = [];
    private readonly Lock _gate = new();

    /// <summary>Adds to an application where they are found.</summary>
    public void Map(IEndpointRouteBuilder endpoints)
    {
        endpoints.MapMethods("/" + LinkEndpoints.LinkPath, [HttpMethods.Get], context => AnswerAsync(
            context, rates => OperatingSystem.IsLinux() ? Find(rates) : throw OnlyLinux()));
        endpoints.MapMethods("/" + LinkEndpoints.StorePath, [HttpMethods.Get], context => AnswerAsync(
            context, rates => OperatingSystem.IsLinux()
                ? FindStore(rates, StoreServers.KindOf(context.Request.Query))
                : throw OnlyLinux()));
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        foreach (Relay relay in _relays.Values)
        {
            relay.Dispose();
        }

        foreach ((ShapedLink link, IServedFiles server) in _links.Values)
        {
            server.Dispose();
            link.Dispose();
        }
    }

    // Asked for before anything is measured, so it may wait.
    private Task AnswerAsync(HttpContext context, Func<LinkRates, string> find)
    {
        LinkRates rates = LinkEndpoints.RatesOf(context.Request.Query);
        string answer;
        try
        {
            lock (_gate)
            {
                answer = find(rates);
            }
        }
        catch (LabException exception)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
            answer = exception.Message;
        }

        return context.Response.WriteAsync(answer);
    }

    private static LabException OnlyLinux() => new("only Linux has network namespaces and tc");

    [SupportedOSPlatform("linux")]
    private string Find(LinkRates rates)
    {
        (ShapedLink link, IServedFiles server) = Open(rates);
        return new LinkAddress(Relayed(link, rates, server.Address), server.Address, link.NearInterface).ToString();
    }

    [SupportedOSPlatform("linux")]
    private string FindStore(LinkRates rates, StoreKind kind)
    {
        (ShapedLink link, IServedFiles server) = Open(rates);
        StoreAddress far = StoreServers.FindAsync(server.Address, kind).GetAwaiter().GetResult();
        Uri http2 = Relayed(link, rates, new Uri($"http://{far.Http2}/"));
        return new StoreAddress(Relayed(link, rates, far.Files), http2.Authority).ToString();
    }

    [SupportedOSPlatform("linux")]
    private (ShapedLink Link, IServedFiles Server) Open(LinkRates rates)
    {
        if (!_links.TryGetValue(rates.BitsPerSecond, out (ShapedLink Link, IServedFiles Server) found))
        {
            var link = ShapedLink.Create(rates.BitsPerSecond);
            try
            {
                var host = new WorkerHost(link.Inside(WorkerCommand.Self()));
                found = (link, host.Serve(request with { Address = link.Far.ToString() }));
            }
            catch
            {
                link.Dispose();
                throw;
            }

            _links.Add(rates.BitsPerSecond, found);
        }

        return found;
    }

    [SupportedOSPlatform("linux")]
    private Uri Relayed(ShapedLink link, LinkRates rates, Uri far)
    {
        if (!_relays.TryGetValue((rates, far.Port), out Relay? relay))
        {
            var here = new IPEndPoint(new IPAddress([127, 1, (byte)(rates.RoundTripMs >> 8), (byte)rates.RoundTripMs]), far.Port);
            relay = Relay.Start(
                new IPEndPoint(link.Far, far.Port), TimeSpan.FromMilliseconds(rates.RoundTripMs), rates.BitsPerSecond, here);
            _relays.Add((rates, far.Port), relay);
        }

        return new UriBuilder(far) { Host = relay.Address.Address.ToString() }.Uri;
    }
}

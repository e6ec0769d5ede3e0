using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Millrace.Lab.Network;

namespace Millrace.Lab.Suites.Transfers;

/// <summary>
/// Links of given bandwidths with a server at the far end of each, and relays that make the ways to it longer, all begun
/// when they are asked for.
/// </summary>
/// <remarks>
/// A server announces its ports, so a relay listens on the one that it leads to, at an address of loopback that stands for its
/// round trip.
/// </remarks>
internal sealed class LinkServers(ServeRequest request) : IDisposable
{
    private readonly Dictionary<long, (ShapedLink Link, IServedFiles Server)> _links = [];
    private readonly Dictionary<(LinkRates Rates, int Port), Relay> _relays = [];
    private readonly Lock _gate = new();

    public void Map(IEndpointRouteBuilder endpoints)
    {
        endpoints.MapMethods("/" + LinkEndpoints.LinkPath, [HttpMethods.Get], context => AnswerAsync(
            context, rates => OperatingSystem.IsLinux() ? Find(rates) : throw OnlyLinux()));
        endpoints.MapMethods("/" + LinkEndpoints.StorePath, [HttpMethods.Get], context => AnswerAsync(
            context, rates => OperatingSystem.IsLinux()
                ? FindStore(rates, StoreServers.KindOf(context.Request.Query))
                : throw OnlyLinux()));
    }

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

/// <summary>Asks the run's server for one across a link.</summary>
internal static class LinkEndpoints
{
    public const string LinkPath = "link";
    public const string StorePath = "link-store";
    private const string RoundTripKey = "round-trip-ms";
    private const string RateKey = "bits-per-second";

    public static string? WhyNot(Uri server, LinkRates rates)
    {
        try
        {
            Find(server, rates);
            return null;
        }
        catch (LabException exception)
        {
            return exception.Message;
        }
    }

    public static LinkAddress Find(Uri server, LinkRates rates) =>
        LinkAddress.Parse(Question.Ask(new Uri(server, $"{LinkPath}?{QueryOf(rates)}")));

    public static async Task<StoreAddress> FindAsync(Uri server, LinkRates rates, StoreKind kind)
    {
        var ask = new Uri(server, $"{StorePath}?{QueryOf(rates)}&{StoreServers.QueryOf(kind)}");
        return StoreAddress.Parse(await Question.AskAsync(ask).ConfigureAwait(false));
    }

    public static LinkRates RatesOf(IQueryCollection query) => new(
        int.Parse(query[RoundTripKey]!, CultureInfo.InvariantCulture), long.Parse(query[RateKey]!, CultureInfo.InvariantCulture));

    private static string QueryOf(LinkRates rates) => string.Create(
        CultureInfo.InvariantCulture, $"{RoundTripKey}={rates.RoundTripMs}&{RateKey}={rates.BitsPerSecond}");
}

internal sealed record LinkAddress(Uri Server, Uri Meters, string Interface)
{
    public static LinkAddress Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new LinkAddress(new Uri(parts[0]), new Uri(parts[1]), parts[2]);
    }

    public override string ToString() => $"{Server} {Meters} {Interface}";
}

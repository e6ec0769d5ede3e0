using System.Globalization;
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

/// <summary>Asks the run's server for one behind a link.</summary>
internal static class LinkEndpoints
{
    /// <summary>Where <see cref="LinkServers"/> answers with a <see cref="LinkAddress"/>.</summary>
    public const string LinkPath = "link";

    /// <summary>Where it answers with a <see cref="StoreAddress"/>.</summary>
    public const string StorePath = "link-store";

    private const string RoundTripKey = "round-trip-ms";
    private const string RateKey = "bits-per-second";

    private static readonly HttpClient Client = new(new SocketsHttpHandler { UseProxy = false });

    /// <summary>Why there is none; null when there is.</summary>
    public static string? WhyNot(Uri server, LinkRates rates)
    {
        using HttpResponseMessage response = Ask(server, LinkPath, rates);
        return response.IsSuccessStatusCode ? null : Text(response);
    }

    /// <summary>Where it is.</summary>
    public static LinkAddress Find(Uri server, LinkRates rates)
    {
        using HttpResponseMessage response = Ask(server, LinkPath, rates);
        return response.IsSuccessStatusCode ? LinkAddress.Parse(Text(response)) : throw new LabException(Text(response));
    }

    /// <summary>Where it has files that are kept so.</summary>
    public static async Task<StoreAddress> FindAsync(Uri server, LinkRates rates, StoreKind kind)
    {
        var ask = new Uri(server, $"{StorePath}?{QueryOf(rates)}&{StoreServers.QueryOf(kind)}");
        return StoreAddress.Parse(await Client.GetStringAsync(ask).ConfigureAwait(false));
    }

    /// <summary>Reads which link a request is about.</summary>
    public static LinkRates RatesOf(IQueryCollection query) => new(
        int.Parse(query[RoundTripKey]!, CultureInfo.InvariantCulture), long.Parse(query[RateKey]!, CultureInfo.InvariantCulture));

    private static string QueryOf(LinkRates rates) => string.Create(
        CultureInfo.InvariantCulture, $"{RoundTripKey}={rates.RoundTripMs}&{RateKey}={rates.BitsPerSecond}");

    private static HttpResponseMessage Ask(Uri server, string path, LinkRates rates) =>
        Client.Send(new HttpRequestMessage(HttpMethod.Get, new Uri(server, $"{path}?{QueryOf(rates)}")));

    private static string Text(HttpResponseMessage response)
    {
        using var text = new StreamReader(response.Content.ReadAsStream());
        return text.ReadToEnd();
    }
}

/// <summary>Where a server behind a link is.</summary>
/// <param name="Server">Through the link and the relay.</param>
/// <param name="Meters">Where it answers for its meters: through the link alone.</param>
/// <param name="Interface">The interface at this end of the link.</param>
internal sealed record LinkAddress(Uri Server, Uri Meters, string Interface)
{
    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    public static LinkAddress Parse(string text)
    {
        string[] parts = text.Split(' ');
        return new LinkAddress(new Uri(parts[0]), new Uri(parts[1]), parts[2]);
    }

    public override string ToString() => $"{Server} {Meters} {Interface}";
}

using System.Globalization;
using Microsoft.AspNetCore.Http;

namespace Millrace.Lab.Suites.Transfers;

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

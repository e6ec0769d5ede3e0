using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.HttpOverrides;
using IPNetwork = System.Net.IPNetwork;

namespace Millrace.Transfer.Server;

/// <summary>
/// Lets the application see a request as its client sent it: with the client's address, and with the scheme, the host and the path in
/// front of the proxies that the owner trusts. The fields of others stay unread.
/// </summary>
internal sealed class PublicPath
{
    /// <summary>The host for which the client has asked the proxy.</summary>
    public const string HostField = "X-Forwarded-Host";

    private const string PrefixField = "X-Forwarded-Prefix";
    private const string SchemeField = "X-Forwarded-Proto";

    private static readonly string[] ForwardedFields = ["X-Forwarded-For", HostField, PrefixField, SchemeField];

    /// <summary>Fields by which a request shows that a proxy sent it; the middleware renames those that it believes.</summary>
    private static readonly string[] ProxyFields =
        [.. ForwardedFields, "X-Original-For", "X-Original-Host", "X-Original-Prefix", "X-Original-Proto", "Forwarded", "Via", "X-Real-IP"];

    private readonly TransferHostOptions _options;

    private PublicPath(TransferHostOptions options) => _options = options;

    /// <summary>Whether a text can be a path below which a server is: empty, or <c>/a/b</c> of letters, digits and <c>-._~</c>.</summary>
    public static bool IsValid(string path) => path.Length == 0
        || (path[0] == '/' && path[1..].Split('/').All(static segment =>
            segment is not ("" or "." or "..")
            && segment.All(static c => char.IsAsciiLetterOrDigit(c) || c is '-' or '.' or '_' or '~')));

    /// <summary>Whether the sender of a connection is one of the owner's proxies.</summary>
    public static bool IsTrusted(TransferHostOptions options, EndPoint? sender) => sender is IPEndPoint { Address: var address }
        ? IsTrusted(options, address)
        : sender is null or UnixDomainSocketEndPoint && options.TrustSocket;

    /// <summary>Whether there are proxies that the owner trusts.</summary>
    public static bool HasTrusted(TransferHostOptions options) => options.TrustedProxies.Count > 0 || options.TrustSocket;

    /// <summary>Comes before routing.</summary>
    public static void Use(WebApplication application, TransferHostOptions options)
    {
        if (HasTrusted(options))
        {
            application.Use(static next => context =>
            {
                context.Request.Scheme = context.Features.Get<ITlsHandshakeFeature>() is null ? Uri.UriSchemeHttp : Uri.UriSchemeHttps;
                return next(context);
            });
            var forwarded = new ForwardedHeadersOptions
            {
                ForwardedHeaders = ForwardedHeaders.All,

                // From the last value on, for as long as the one that wrote it is trusted. Without networks, all would be.
                ForwardLimit = options.TrustedProxies.Count > 0 ? null : 1,
            };
            forwarded.KnownIPNetworks.Clear();
            forwarded.KnownProxies.Clear();
            foreach (IPNetwork network in options.TrustedProxies)
            {
                forwarded.KnownIPNetworks.Add(network);
            }

            // The middleware trusts every sender without an address, such as those of a Unix socket.
            application.UseWhen(
                context => IsTrusted(options, SenderOf(context)),
                branch =>
                {
                    branch.Use(static next => context =>
                    {
                        context.Features.Set(Forwarded.ByTrusted);
                        return next(context);
                    });
                    branch.UseForwardedHeaders(forwarded);
                });
        }

        application.Use(new PublicPath(options).Run);
    }

    /// <summary>Why the paths of a request are not those of this server; null if they are.</summary>
    public static Refusal? RefusalOf(HttpContext context) => context.Features.Get<Refusal>();

    /// <summary>Whether the scheme and the host of a request are the client's, and not only the server's own address.</summary>
    public static bool IsForwarded(HttpContext context) => context.Features.Get<Forwarded>() is not null;

    /// <summary>What helps where a request came through a proxy whose fields are not believed: a sentence after a space; empty for other requests.</summary>
    /// <remarks>The address is in the log only: clients need not know how the owner's network is built.</remarks>
    public static string AdviceOf(HttpRequest request, Func<string, string> nameOf) =>
        IsForwarded(request.HttpContext) || !ForwardedFields.Any(request.Headers.ContainsKey)
            ? ""
            : $" The request came through a proxy that this server does not believe: if it is yours, {(
                request.HttpContext.Connection.RemoteIpAddress is null
                    ? $"trust the senders to the socket with {nameOf("TransferHostOptions.TrustSocket")}"
                    : $"name its address, which is in the server's log, with {nameOf("TransferHostOptions.TrustedProxies")}")}, and let it send {HostField} and {SchemeField}.";

    /// <summary>Whether a request has a proxy's fields, trusted or not.</summary>
    public static bool IsThroughProxy(HttpRequest request) => ProxyFields.Any(request.Headers.ContainsKey);

    private static IPEndPoint? SenderOf(HttpContext context) =>
        context.Connection.RemoteIpAddress is { } address ? new IPEndPoint(address, 0) : null;

    private static bool IsTrusted(TransferHostOptions options, IPAddress address)
    {
        // Where one socket takes IPv4, too, its clients have mapped addresses.
        address = address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address;
        return options.TrustedProxies.Any(network => network.Contains(address));
    }

    private RequestDelegate Run(RequestDelegate next) => context =>
    {
        HttpRequest request = context.Request;
        string prefix = (request.PathBase.Value ?? "").TrimEnd('/');
        request.PathBase = prefix;
        if (!IsValid(prefix))
        {
            request.PathBase = default;
            context.Features.Set(new Refusal(
                TransferError.InvalidRequest,
                $"The proxy's field {PrefixField} is '{NameEncoding.Printable(prefix)}'. It has to be a path such as /share, of letters, digits and '-', '.', '_', '~'."));
        }
        else if (prefix.Length > 0)
        {
            // The proxy has cut it off; links, redirects and the Destination of a MOVE have it.
            IHttpRequestFeature raw = context.Features.GetRequiredFeature<IHttpRequestFeature>();
            raw.RawTarget = RawTarget.Below(prefix, raw.RawTarget);
        }

        string below = _options.PathBase;
        if (below.Length > 0)
        {
            if (request.Path.StartsWithSegments(below, StringComparison.Ordinal, out PathString matched, out PathString rest))
            {
                request.PathBase = request.PathBase.Add(matched);
                request.Path = rest;
            }
            else
            {
                context.Features.Set(new Refusal(
                    TransferError.NotFound,
                    $"The paths of this server begin with '{below}/' ({_options.NameOf("TransferHostOptions.PathBase")}), for example {below}{_options.Endpoints.FilesPath}/. If a proxy cuts that off, it has to send it as {PrefixField} instead."));
            }
        }

        return next(context);
    };

    private sealed class Forwarded
    {
        public static readonly Forwarded ByTrusted = new();
    }
}

using System.Diagnostics.Metrics;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication.Cookies;
using Microsoft.AspNetCore.Authorization;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Millrace.Transfer.Server;

/// <summary>Registers what Millrace's endpoints need in your own application.</summary>
public static class TransferServerServiceCollectionExtensions
{
    /// <summary>
    /// Adds access control (tokens, signed links, limits for each caller), metrics, traces and the log. Without it, mapping
    /// an endpoint throws.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <param name="configure">Sets the tokens and limits; may be called several times.</param>
    /// <remarks>
    /// <para>Tokens, links and sessions are the authentication schemes <c>Millrace.Token</c>, <c>Millrace.Link</c> and
    /// <c>Millrace.Session</c>. The authorization policies <c>Millrace.Read</c>, <c>Millrace.Write</c>, <c>Millrace.Delete</c>,
    /// <c>Millrace.List</c>, <c>Millrace.Link</c> and, for requests that need none of these, <c>Millrace</c> use them; their resource is the <see cref="TransferName"/>. Define policies of these
    /// names to use schemes and requirements of your own.</para>
    /// <para>Links, sessions and cached responses expire by the application's <see cref="TimeProvider"/>, if it has one as a service.</para>
    /// <para><c>AllowAnonymous()</c> on the result of a Map method serves its endpoints to everyone.</para>
    /// </remarks>
    public static IServiceCollection AddMillraceTransfer(
        this IServiceCollection services, Action<TransferAccessOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        if (configure is not null)
        {
            services.Configure(configure);
        }

        if (services.Any(static service => service.ServiceType == typeof(TransferGuard)))
        {
            return services;
        }

        services.AddLogging();
        services.AddOptions();
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton(static provider => new TransferMeter(provider.GetService<IMeterFactory>()));
        services.AddSingleton<TransferGuard>();
        services.AddSingleton<RunningJoins>();
        services.AddSingleton<BlockLists>();
        services.AddTransient<TokenHandler>();
        services.AddTransient<LinkHandler>();
        AddPage(services);

        // Not AddAuthentication: that adds data protection, which reads and writes keys when the application starts.
        services.AddAuthenticationCore(static options =>
        {
            options.AddScheme<TokenHandler>(TokenHandler.SchemeName, displayName: null);
            options.AddScheme<LinkHandler>(LinkHandler.SchemeName, displayName: null);
            options.AddScheme<CookieAuthenticationHandler>(SessionCookie.SchemeName, displayName: null);
        });
        services.AddSingleton<IAuthorizationHandler, ScopeRequirement.Handler>();
        return services.AddAuthorization(ScopeRequirement.AddPolicies);
    }

    /// <summary>Not AddCookie, which adds data protection: a session's cookie is a random id.</summary>
    private static void AddPage(IServiceCollection services)
    {
        services.TryAddSingleton(UrlEncoder.Default);
        services.AddSingleton<PageAssets>();
        services.AddSingleton<SessionStore>();
        services.AddSingleton<SessionCookie>();
        services.AddTransient<CookieAuthenticationHandler>();
        services.AddOptions<CookieAuthenticationOptions>(SessionCookie.SchemeName)
            .Configure<SessionCookie, SessionStore, TimeProvider>(SessionCookie.Configure);
    }
}

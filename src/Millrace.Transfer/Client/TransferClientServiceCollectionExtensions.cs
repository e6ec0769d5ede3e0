using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Millrace.Transfer;

/// <summary>Registers <see cref="TransferClient"/>s.</summary>
public static class TransferClientServiceCollectionExtensions
{
    /// <summary>Registers the client of one server, as a singleton; its connections are those of <c>IHttpClientFactory</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="files">Where the server has its files, for example <c>http://host:8080/files/</c>.</param>
    /// <param name="configure">Sets the options, as <c>services.Configure&lt;TransferClientOptions&gt;</c> does too; null for the defaults.</param>
    /// <returns>A builder to which the application can add its own handlers.</returns>
    public static IHttpClientBuilder AddMillraceTransferClient(
        this IServiceCollection services, Uri files, Action<TransferClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        string http = nameof(TransferClient);
        services.AddSingleton(provider => Create(provider, http, Options.DefaultName, files));
        return AddConnections(services, http, Options.DefaultName, configure);
    }

    /// <summary>Registers the client of one of several servers, as a singleton with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The key, the name of its options, and that of its connections in <c>IHttpClientFactory</c>.</param>
    /// <param name="files">Where the server has its files.</param>
    /// <param name="configure">Sets the options; null for the defaults.</param>
    /// <returns>A builder to which the application can add its own handlers.</returns>
    public static IHttpClientBuilder AddMillraceTransferClient(
        this IServiceCollection services, string name, Uri files, Action<TransferClientOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        services.AddKeyedSingleton(name, (provider, _) => Create(provider, name, name, files));
        return AddConnections(services, name, name, configure);
    }

    private static TransferClient Create(IServiceProvider provider, string http, string options, Uri files) =>
        new(files, provider.GetRequiredService<IHttpClientFactory>().CreateClient(http), OptionsOf(provider, options));

    private static IHttpClientBuilder AddConnections(
        IServiceCollection services, string http, string options, Action<TransferClientOptions>? configure)
    {
        // A refused option is reported when the host starts, not with the first transfer.
        services.AddOptions<TransferClientOptions>(options).Configure(configure ?? (static _ => { })).ValidateOnStart();
        return services.AddHttpClient(http, client => client.Timeout = Timeout.InfiniteTimeSpan)
            .ConfigurePrimaryHttpMessageHandler(provider => TransferConnections.Create(OptionsOf(provider, options)))

            // A singleton keeps its handler: the connections themselves are renewed.
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan);
    }

    private static TransferClientOptions OptionsOf(IServiceProvider provider, string name) =>
        provider.GetRequiredService<IOptionsMonitor<TransferClientOptions>>().Get(name);
}

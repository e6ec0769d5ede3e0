using Microsoft.Extensions.DependencyInjection;

namespace Millrace.Transfer;

/// <summary>Registers <see cref="TransferClient"/>s.</summary>
public static class TransferClientServiceCollectionExtensions
{
    /// <summary>Registers the client of one server, as a singleton; its connections are those of <c>IHttpClientFactory</c>.</summary>
    /// <param name="services">The services.</param>
    /// <param name="files">Where the server has its files, for example <c>http://host:8080/files/</c>.</param>
    /// <param name="options">How it is reached; null for the defaults.</param>
    /// <returns>For handlers of the application's own.</returns>
    public static IHttpClientBuilder AddTransferClient(
        this IServiceCollection services, Uri files, TransferClientOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        string name = nameof(TransferClient);
        services.AddSingleton(provider => Create(provider, name, files, options));
        return AddConnections(services, name, options);
    }

    /// <summary>Registers the client of one of several servers, as a singleton with a key.</summary>
    /// <param name="services">The services.</param>
    /// <param name="name">The key, and the name of its connections in <c>IHttpClientFactory</c>.</param>
    /// <param name="files">Where the server has its files.</param>
    /// <param name="options">How it is reached; null for the defaults.</param>
    /// <returns>For handlers of the application's own.</returns>
    public static IHttpClientBuilder AddTransferClient(
        this IServiceCollection services, string name, Uri files, TransferClientOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentException.ThrowIfNullOrEmpty(name);
        services.AddKeyedSingleton(name, (provider, _) => Create(provider, name, files, options));
        return AddConnections(services, name, options);
    }

    private static TransferClient Create(IServiceProvider provider, string name, Uri files, TransferClientOptions? options) =>
        new(files, provider.GetRequiredService<IHttpClientFactory>().CreateClient(name), options);

    private static IHttpClientBuilder AddConnections(IServiceCollection services, string name, TransferClientOptions? options) =>
        services.AddHttpClient(name, client => client.Timeout = Timeout.InfiniteTimeSpan)
            .ConfigurePrimaryHttpMessageHandler(() => TransferConnections.Create(options ?? new TransferClientOptions()))
            // A singleton keeps what it got: the connections themselves are renewed.
            .SetHandlerLifetime(Timeout.InfiniteTimeSpan);
}

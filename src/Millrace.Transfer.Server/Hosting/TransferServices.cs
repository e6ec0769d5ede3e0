using System.Diagnostics.Metrics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace Millrace.Transfer.Server;

/// <summary>Registers what the endpoints ask for, in an application of one's own.</summary>
public static class TransferServices
{
    /// <summary>
    /// Adds the guard (tokens, links, limits), metrics, traces and the log. Without it everybody may do everything that the
    /// application's own middleware lets through.
    /// </summary>
    /// <param name="services">The application's.</param>
    /// <param name="options">Whom to let in; null for everybody.</param>
    public static IServiceCollection AddMillraceTransfer(
        this IServiceCollection services, TransferAccessOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        TransferAccessOptions access = options ?? new TransferAccessOptions();
        services.TryAddSingleton(provider => new TransferMeter(provider.GetService<IMeterFactory>()));
        services.TryAddSingleton(provider => new TransferGuard(
            access,
            provider.GetRequiredService<TransferMeter>(),
            (ILogger?)provider.GetService<ILoggerFactory>()?.CreateLogger(TransferDiagnostics.Name)));
        return services;
    }
}

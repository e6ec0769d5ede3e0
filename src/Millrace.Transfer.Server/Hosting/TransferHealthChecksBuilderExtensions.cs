using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Millrace.Transfer.Server;

/// <summary>Adds a store to the health checks of your own application.</summary>
public static class TransferHealthChecksBuilderExtensions
{
    /// <summary>
    /// Adds a check of whether a store accepts files: its folder can be written to and has free space, or its bucket answers. The store is
    /// checked once per second at most.
    /// </summary>
    /// <param name="builder">What <c>AddHealthChecks()</c> returns.</param>
    /// <param name="store">The store; null for the <see cref="IFileStore"/> among the application's services.</param>
    /// <param name="name">The name of the check.</param>
    /// <param name="failureStatus">The status to report if the store accepts no files; null for <see cref="HealthStatus.Unhealthy"/>.</param>
    /// <param name="tags">Tags to filter checks by.</param>
    /// <param name="timeout">How long the store may take to answer; null without a limit.</param>
    public static IHealthChecksBuilder AddMillraceTransferCheck(
        this IHealthChecksBuilder builder, IFileStore? store = null, string name = "millrace", HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null, TimeSpan? timeout = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(name);
        builder.Services.TryAddSingleton(TimeProvider.System);
        builder.Services.AddKeyedSingleton(name, (services, _) => new StoreHealth(
            store ?? services.GetRequiredService<IFileStore>(), services.GetRequiredService<TimeProvider>()));
        return builder.Add(new HealthCheckRegistration(
            name, services => services.GetRequiredKeyedService<StoreHealth>(name), failureStatus, tags, timeout));
    }
}

using System.Buffers;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Millrace.Kestrel;

/// <summary>Adds Millrace's socket transport to an ASP.NET Core application.</summary>
public static class MillraceSockets
{
    /// <summary>Name of this package's meter and activity source: <c>Millrace.Kestrel</c>.</summary>
    public const string DiagnosticsName = "Millrace.Kestrel";

    /// <summary>
    /// Makes Kestrel use Millrace's sockets for TCP and Unix sockets: reads of up to 256 KiB, gathered writes, and
    /// <c>SendFileAsync</c>, <c>Results.File</c> and static files by sendfile(2) where HTTP/1.1 is not encrypted.
    /// </summary>
    /// <param name="builder">The application's web host, <c>builder.WebHost</c>.</param>
    /// <param name="configure">Changes the options; may be null.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <remarks>Adds the memory of <see cref="AddMillraceMemory"/>, too.</remarks>
    public static IWebHostBuilder UseMillraceSockets(this IWebHostBuilder builder, Action<MillraceSocketOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(services =>
        {
            services.AddMillraceMemory();

            // The last factory that can bind an address is the one that Kestrel asks.
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IConnectionListenerFactory, SocketListenerFactory>());

            // First, so that whatever compresses or counts a response wraps ours.
            services.Insert(0, ServiceDescriptor.Singleton<IStartupFilter, FileResponseFilter>());
            if (configure is not null)
            {
                services.Configure(configure);
            }
        });
    }

    /// <summary>
    /// Adds one pool for the memory of all connections, as the application's <see cref="IMemoryPoolFactory{T}"/>. Kestrel's own sockets use
    /// it, too: they receive into blocks of 64 KiB instead of 4.
    /// </summary>
    /// <param name="services">The application's services.</param>
    /// <returns><paramref name="services"/>.</returns>
    /// <remarks>
    /// Blocks are pinned arrays. The pool drops blocks unused for some seconds, and starts no garbage collection: a program that is
    /// to give the memory back at once collects when the counter <c>millrace.kestrel.memory.dropped</c> has grown.
    /// </remarks>
    public static IServiceCollection AddMillraceMemory(this IServiceCollection services)
    {
        ArgumentNullException.ThrowIfNull(services);
        services.TryAddSingleton<BlockPool>();
        return services.Replace(ServiceDescriptor.Singleton<IMemoryPoolFactory<byte>>(
            static provider => new SharedMemory(provider.GetRequiredService<BlockPool>())));
    }
}

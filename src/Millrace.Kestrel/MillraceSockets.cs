using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Millrace.Kestrel;

/// <summary>Adds Millrace's socket transport to an ASP.NET Core application.</summary>
public static class MillraceSockets
{
    /// <summary>
    /// Makes Kestrel use Millrace's sockets for TCP and Unix sockets: reads of up to 256 KiB, gathered writes, and
    /// <c>SendFileAsync</c>, <c>Results.File</c> and static files by sendfile(2) where HTTP/1.1 is not encrypted.
    /// </summary>
    /// <param name="builder">The application's web host, <c>builder.WebHost</c>.</param>
    /// <param name="configure">Changes the options; may be null.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static IWebHostBuilder UseMillraceSockets(this IWebHostBuilder builder, Action<MillraceSocketOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.ConfigureServices(services =>
        {
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
}

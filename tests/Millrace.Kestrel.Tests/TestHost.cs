using System.Collections.Concurrent;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace Millrace.Kestrel.Tests;

/// <summary>An application on a real port, over Millrace's sockets.</summary>
internal sealed class TestHost : IAsyncDisposable
{
    private readonly WebApplication _app;

    private TestHost(WebApplication app, ErrorLog log)
    {
        _app = app;
        Errors = log.Errors;
        Addresses = app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses;
        Address = new Uri(Addresses.First());
        Pool = app.Services.GetServices<IConnectionListenerFactory>().OfType<SocketListenerFactory>().Single().Pool;
    }

    public Uri Address { get; }

    public ICollection<string> Addresses { get; }

    public BlockPool Pool { get; }

    /// <summary>Log entries that are warnings or worse.</summary>
    public ConcurrentQueue<string> Errors { get; }

    public static async Task<TestHost> StartAsync(
        Action<WebApplication> map,
        Action<KestrelServerOptions>? kestrel = null,
        Action<MillraceSocketOptions>? sockets = null,
        string contentRoot = "")
    {
        var log = new ErrorLog();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { WebRootPath = contentRoot });
        builder.Logging.ClearProviders().AddProvider(log);
        builder.WebHost.UseKestrelHttpsConfiguration();
        builder.WebHost.UseMillraceSockets(sockets);
        builder.WebHost.ConfigureKestrel(options =>
        {
            if (kestrel is null)
            {
                options.Listen(IPAddress.Loopback, 0);
            }

            options.Limits.MaxRequestBodySize = null;
            kestrel?.Invoke(options);
        });
        WebApplication app = builder.Build();
        map(app);
        await app.StartAsync();
        return new TestHost(app, log);
    }

    /// <summary>Receive buffer of a client that is soon full.</summary>
    /// <remarks>With 4 KiB, Linux sometimes drops the reset of an aborted connection: it lies outside of the window.</remarks>
    public const int SmallBuffer = 64 * 1024;

    public async Task<Socket> ConnectAsync(int receiveBuffer = 0)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        if (receiveBuffer > 0)
        {
            socket.ReceiveBufferSize = receiveBuffer;
        }

        await socket.ConnectAsync(IPAddress.Loopback, Address.Port);
        return socket;
    }

    public Task StopAsync() => _app.StopAsync();

    public async ValueTask DisposeAsync() => await _app.DisposeAsync();

    private sealed class ErrorLog : ILoggerProvider, ILogger
    {
        public ConcurrentQueue<string> Errors { get; } = new();

        public ILogger CreateLogger(string categoryName) => this;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            // That Kestrel's timer was not run for a second says something about the machine.
            if (IsEnabled(logLevel) && eventId.Name != "HeartbeatSlow")
            {
                Errors.Enqueue($"{formatter(state, exception)} {exception}");
            }
        }

        public void Dispose()
        {
        }
    }
}

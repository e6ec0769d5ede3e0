using System.Globalization;
using System.Net.Sockets;
using System.Reflection;
using Millrace.Interop;

namespace Millrace.Transfer.Server;

/// <summary>
/// Serves a folder, or another store, with Kestrel: files, resumable uploads, gRPC and gRPC-Web, <c>/health</c> and <c>/.well-known/millrace</c>.
/// It reads no configuration file and no environment variable and handles no signal: only its options count.
/// </summary>
public sealed class TransferServer : IAsyncDisposable
{
    private const string HealthPath = "/health";

    // Requests that were cut end within milliseconds, unless a disk hangs.
    private static readonly TimeSpan CutLimit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan CutStep = TimeSpan.FromMilliseconds(10);

    private readonly WebApplication _application;
    private readonly IFileStore _store;
    private readonly LocalFileStore? _folder;
    private readonly TransferGuard _guard;
    private readonly TransferHostOptions _options;
    private readonly ILogger _logger;
    private readonly AccessLog? _accessLog;
    private readonly StoreScrub? _scrub;
    private readonly FileEvents? _events;

    private TransferServer(
        WebApplication application, IFileStore store, FileEvents? events, TransferHostOptions options, ServerPorts ports)
    {
        _application = application;
        _events = events;
        _store = (events?.Store ?? store).Hiding(options.HiddenNames);
        _folder = options.FileStore is null ? (LocalFileStore)store : null;
        _options = options;
        _guard = application.Services.GetRequiredService<TransferGuard>();
        _logger = application.Services.GetRequiredService<ILoggerFactory>().CreateLogger(TransferDiagnostics.Name);
        _accessLog = options.AccessLogPath is { } log ? AccessLog.Open(log, options.TimeProvider, _logger) : null;
        _scrub = options.ScrubPeriod is not { } period ? null : new StoreScrub(
            store,
            new ScrubOptions { Period = period, Logger = _logger, TimeProvider = options.TimeProvider },
            application.Services.GetRequiredService<TransferMeter>());
        string scheme = options.CertificatePath is null ? "http" : "https";
        Address = new Uri($"{scheme}://{ListenAddress.InUrl(ports.Main)}");
        SocketPath = ports.Main is UnixDomainSocketEndPoint ? ports.Main.ToString() : null;
        Http2Address = ports.Http2 is not null ? new Uri($"http://{ListenAddress.InUrl(ports.Http2)}")
            : ports.MainHasHttp2 ? Address
            : null;
        Notice = ports.Note;
    }

    /// <summary>The address for HTTP/1.1, and usually for HTTP/2; has the machine's name if the server listens on all addresses.</summary>
    public Uri Address { get; }

    /// <summary>The address for HTTP/2; null when that is not offered.</summary>
    public Uri? Http2Address { get; }

    /// <summary>A message about omitted listeners and the reason; null if there are none.</summary>
    public string? Notice { get; }

    /// <summary>Whether requests need a token, or a link.</summary>
    public bool NeedsToken => _guard.NeedsToken;

    /// <summary>Transfers that run now.</summary>
    public int ActiveTransfers => _guard.Limits.Running;

    /// <summary>The path of the Unix socket on which the server listens; null for an address with a port.</summary>
    public string? SocketPath { get; }

    /// <summary>The limits of the rate.</summary>
    internal RateLimits Rates => _guard.Rates;

    private static string ServerName { get; } = "Millrace " + typeof(TransferServer).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion.Split('+')[0];

    /// <summary>Starts a server.</summary>
    /// <param name="options">What to serve, and where.</param>
    /// <param name="cancellationToken">Cancels the start.</param>
    /// <returns>The running server.</returns>
    /// <exception cref="TransferException">
    /// The folder is missing, a port or a socket's path is taken, the certificate or the tokens cannot be read, or other machines could reach the
    /// server without a token. The message names the remedy.
    /// </exception>
    public static async Task<TransferServer> StartAsync(
        TransferHostOptions options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.FileStore is null && !Directory.Exists(options.Folder))
        {
            throw new TransferException(
                TransferError.NotFound,
                $"Folder '{options.Folder}' does not exist. Create it with 'mkdir -p {options.Folder}', or name another.");
        }

        bool isLocal = ListenAddress.IsLocal(options, out string where);
        if (options.ProxyProtocol && !PublicPath.HasTrusted(options))
        {
            throw Errors.Invalid(
                $"{options.NameOf("TransferHostOptions.ProxyProtocol")} is about connections from proxies. Name their addresses with {options.NameOf("TransferHostOptions.TrustedProxies")}.");
        }

        TokenStore? tokens = OpenTokens(options);
        bool hasTokens = tokens?.List().Count > 0;
        bool isPublic = options.PublicScopes != TransferScope.None;
        bool isOpen = (options.Insecure || isLocal) && !isPublic && !options.AllowPin;
        if (!hasTokens && !isOpen && !isPublic && !options.AllowPin)
        {
            throw new TransferException(
                TransferError.Unauthorized,
                $"{where} is reached from other machines, and no token exists, so anyone there could {(options.ReadOnly ? "read" : "read, replace and delete")} everything. Create a token with {options.NameOf("TokenStore.AddAsync")}, or allow it with {options.NameOf("TransferHostOptions.Insecure")}.");
        }

        ServerCertificate? tls = ServerCertificate.Load(options);
        using var sockets = new ListenSockets();
        var ports = ServerPorts.Bind(sockets, options);
        WebApplication? application = null;
        LocalFileStore? folder = null;
        FileEvents? events = null;
        try
        {
            application = KestrelHost.Build(options, sockets, ports, tls, access =>
            {
                access.Tokens = tokens;
                access.OpenWithoutTokens = isOpen && !hasTokens;
                access.PublicScopes = options.PublicScopes;
                access.ReadOnly = options.ReadOnly;
                access.AllowBasicWithoutTls = options.AllowBasicWithoutTls;
                access.HasScopePolicies = true;
                access.Pins = options.AllowPin ? new PinStore(options.TimeProvider) : null;
                access.PublicUrl = options.PublicUrl;
                access.NameOf = options.NameOf;
                access.Limits = options.Limits;
            });
            folder = options.FileStore is null ? OpenFolder(options, application.Services.GetRequiredService<TransferMeter>()) : null;
            IFileStore store = options.FileStore ?? folder!;

            // Nothing is reported where nothing changes, and nothing is written there.
            events = options is { Events: { } receiver, ReadOnly: false }
                ? await FileEvents.OpenAsync(
                    store,
                    receiver,
                    application.Services.GetRequiredService<ILoggerFactory>().CreateLogger(TransferDiagnostics.Name),
                    application.Services.GetRequiredService<TransferMeter>(),
                    options.TimeProvider,
                    cancellationToken)
                : null;
            var server = new TransferServer(application, store, events, options, ports);
            server.Map();
            await application.StartAsync(cancellationToken);
            server._scrub?.Start();
            return server;
        }
        catch
        {
            if (application is not null)
            {
                await application.DisposeAsync();
            }

            if (events is not null)
            {
                await events.DisposeAsync();
            }

            if (folder is not null)
            {
                await folder.DisposeAsync();
            }

            throw;
        }
    }

    /// <summary>
    /// Makes a PIN of six digits, with which one browser can sign in within ten minutes; an earlier PIN ends. Five wrong tries, of all clients
    /// together, end it, too. Without TLS it is accepted from this machine and from private networks only. Its session may do everything but sign links.
    /// </summary>
    /// <returns>The PIN, for the user.</returns>
    /// <exception cref="InvalidOperationException"><see cref="TransferHostOptions.AllowPin"/> is false.</exception>
    public string CreatePin() => _guard.Options.Pins?.Create()
        ?? throw new InvalidOperationException($"PINs are not allowed here ({_options.NameOf("TransferHostOptions.AllowPin")}).");

    /// <summary>
    /// Stops accepting, waits up to <see cref="TransferHostOptions.ShutdownTimeout"/> for running transfers, cuts the rest, and
    /// releases the folder. Resumable uploads stay resumable.
    /// </summary>
    /// <param name="cancellationToken">Cuts running transfers at once.</param>
    /// <returns>How many transfers were cut.</returns>
    public async Task<int> StopAsync(CancellationToken cancellationToken = default)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(_options.ShutdownTimeout);
        using var cut = new CancellationTokenSource();
        int running = 0;
        using CancellationTokenRegistration counted = limit.Token.Register(() =>
        {
            // Before anything is cut: the callbacks of one token run in any order, and beside what they end.
            running = _guard.Limits.Running;
            cut.Cancel();
        });
        int active = _guard.Limits.Running;
        _logger.Stopping(active, active == 0 ? "" : string.Create(CultureInfo.InvariantCulture, $" and have {_options.ShutdownTimeout.TotalSeconds:0.#} s to finish"));
        try
        {
            await _application.StopAsync(cut.Token);
        }
        catch (OperationCanceledException) when (cut.IsCancellationRequested)
        {
            // Kestrel has aborted every connection by now.
        }

        await WaitForCutAsync();

        // After this, another server may open the folder.
        await CloseFolderAsync();
        if (running > 0)
        {
            _logger.Cut(running);
        }

        return running;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_scrub is not null)
        {
            await _scrub.DisposeAsync();
        }

        await _application.DisposeAsync();
        if (_accessLog is not null)
        {
            await _accessLog.DisposeAsync();
        }

        await CloseFolderAsync();
    }

    private async ValueTask CloseFolderAsync()
    {
        if (_scrub is not null)
        {
            await _scrub.DisposeAsync();
        }

        if (_events is not null)
        {
            await _events.DisposeAsync();
        }

        if (_folder is not null)
        {
            await _folder.DisposeAsync();
        }
    }

    private static LocalFileStore OpenFolder(TransferHostOptions options, TransferMeter meter)
    {
        try
        {
            return new LocalFileStore(options.Folder, options.ReadOnly ? options.Store.AsReadOnly() : options.Store, meter);
        }
        catch (TransferException exception) when (!options.ReadOnly && exception.InnerException is { } reason && !SystemError.IsSharing(reason))
        {
            throw new TransferException(
                exception.Error, $"{exception.Message} To serve it without uploads, use {options.NameOf("TransferHostOptions.ReadOnly")}.", innerException: exception);
        }
    }

    /// <summary>A folder has a place for tokens; for another store they are in a file that the options name, if at all.</summary>
    private static TokenStore? OpenTokens(TransferHostOptions options)
    {
        if (options.TokensPath is not { } path)
        {
            return options.FileStore is null ? OpenFolderTokens(options) : null;
        }

        // A named file means that a server without tokens is not wanted.
        TokenStore? tokens = path.Length == 0 ? null : new TokenStore(path, options.TimeProvider) { IsReadOnly = options.TokensReadOnly };
        return tokens?.FindFile() is null
            ? throw new TransferException(
                TransferError.Failed,
                $"Token file '{path}' does not exist; create it with {options.NameOf("TokenStore.AddAsync")}, correct the name, or leave {options.NameOf("TransferHostOptions.TokensPath")} out.")
            : tokens;
    }

    private static TokenStore OpenFolderTokens(TransferHostOptions options)
    {
        var tokens = new TokenStore(TokenStore.DefaultPath(options.Folder, options.Store.StatePath), options.TimeProvider)
        {
            IsReadOnly = options.ReadOnly && options.Store.StatePath is null,
        };
        try
        {
            tokens.List();
            return tokens;
        }
        catch (TransferException exception) when (tokens.IsReadOnly)
        {
            throw new TransferException(
                exception.Error, $"{exception.Message} To use other tokens, name a folder for them with {options.NameOf("LocalFileStoreOptions.StatePath")}.", innerException: exception);
        }
    }

    private void Map()
    {
        if (_accessLog is not null)
        {
            _application.Use(_accessLog.Use);
        }

        PublicPath.Use(_application, _options);

        // Otherwise it would come first, and not find the endpoints below a path.
        _application.UseRouting();
        if (_folder is not null && InlineRequests.CanServe(_folder.Root))
        {
            _application.Use(next => context => InlineRequests.RunAsync(context, next));
        }

        // TransferGuard authenticates and authorizes. Without these marks, WebApplication adds the framework's middleware for both, which
        // looks for a scheme that handles requests and for attributes of endpoints, at every request, and finds none.
        IDictionary<string, object?> properties = ((IApplicationBuilder)_application).Properties;
        properties["__AuthenticationMiddlewareSet"] = true;
        properties["__AuthorizationMiddlewareSet"] = true;
        _application.Use(next => context => UnreadBody.RunAsync(context, next, _options.Limits));
        _application.Use(next => context => Problems.RunAllAsync(context, next));
        var names = new HostNames(_options);
        _application.Use(next => context =>
        {
            BodyFraming.ThrowIfUnclear(context.Request);
            return !names.Contains(context.Request) && _guard.LetsIn(context.Request) ? RefuseHostAsync(context, names)
                : PublicPath.RefusalOf(context) is { } refusal ? GrpcEndpoints.RefuseAsync(context, _store, _options.Endpoints, refusal)
                : next(context);
        });
        TransferServerOptions endpoints = _options.Endpoints;
        _application.MapMillraceFiles(endpoints.FilesPath, _store, endpoints);
        _application.MapMillraceUploads(endpoints.UploadsPath, _store, endpoints);
        _application.MapMillraceGrpc(_store, endpoints);
        _application.MapMillracePage(_store, endpoints);
        if (endpoints.AllowedOrigins.Count > 0)
        {
            _application.UseCors();
        }

        ServiceEndpoints.MapHealth(_application, HealthPath, _store, _scrub);
        ServiceEndpoints.MapDescription(_application, Describe);
        ServiceEndpoints.MapRoot(_application, endpoints.FilesPath);
    }

    private Task RefuseHostAsync(HttpContext context, HostNames names)
    {
        Refusal refusal = names.Refuse(context.Request);
        _guard.ObserveRefusal(context, refusal.Error);
        return GrpcEndpoints.RefuseAsync(context, _store, _options.Endpoints, refusal);
    }

    /// <summary>The response of <c>/.well-known/millrace</c>.</summary>
    private ServerDescription Describe(HttpContext context)
    {
        // In front of a proxy, every protocol is at the address that the client has used.
        HttpRequest request = context.Request;
        HostString host = HostNames.Of(request);
        Uri? front = _options.PublicUrl is { } url && url.Host.Equals(host.Host, StringComparison.OrdinalIgnoreCase) && (host.Port ?? url.Port) == url.Port
            ? url
            : null;
        bool isFront = front is not null || SocketPath is not null || PublicPath.IsForwarded(context);
        string scheme = front?.Scheme ?? request.Scheme;
        int port = front?.Port ?? host.Port ?? (scheme == Uri.UriSchemeHttps ? 443 : 80);
        ProtocolDescription At(string name, Uri address) =>
            isFront ? new ProtocolDescription(name, scheme, port) : new ProtocolDescription(name, address.Scheme, address.Port);

        // A proxy that asks over HTTP/1.1 may speak nothing else to clients either; one that does, shows that in its response.
        List<ProtocolDescription> protocols =
        [
            At("http1", Address),
            .. Http2Address is not null && (!isFront || HttpProtocol.IsHttp2(request.Protocol)) ? [At("http2", Http2Address)] : (ProtocolDescription[])[],
            At("tus", Address),
            .. Http2Address is not null ? [At("grpc", Http2Address)] : (ProtocolDescription[])[],
            At("grpc-web", Address),
            At("grpc-web-text", Address),
        ];

        string root = request.PathBase.ToUriComponent();
        return new ServerDescription
        {
            Server = ServerName,
            Root = root.Length == 0 ? null : root,
            Files = root + _options.Endpoints.FilesPath,
            Uploads = root + _options.Endpoints.UploadsPath,
            Trash = _store.Trash is null ? null : root + TrashEndpoint.Path,
            Protocols = protocols,
            MaxFileBytes = _store.MaxFileBytes,
            MaxRequestBytes = _options.Endpoints.MaxRequestBytes,
            Deltas = true,
            Holes = true,
            MaxBatchFiles = BatchUpload.MaxFiles,
            MaxBatchFileBytes = BatchUpload.MaxFileBytes,
            BatchGet = true,
            NeedsToken = !_guard.IsOpen,
        };
    }

    /// <summary>Waits until no endpoint uses the store, because others may use the folder then.</summary>
    private async Task WaitForCutAsync()
    {
        long began = TimeProvider.System.GetTimestamp();
        while (_guard.Limits.Running > 0 && TimeProvider.System.GetElapsedTime(began) < CutLimit)
        {
            await Task.Delay(CutStep);
        }
    }
}

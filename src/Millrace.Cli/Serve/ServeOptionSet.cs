using System.CommandLine;
using System.Globalization;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve`.</summary>
internal sealed class ServeOptionSet
{
    private const int NoPort = -1;
    private const string Millrace = "millrace";
    private const string Kestrel = "kestrel";
    private const string Native = "native";
    private const string Portable = "portable";
    private const long MinBufferedBytes = 16 * 1024 * 1024;

    private static readonly TransferHostOptions Defaults = new() { Folder = "." };

    private readonly Option<int> _port = ParsedOption.Create<int>("--port", "N", "Listen on this port; 0 takes a free one.", ParsePort);

    private readonly Option<string> _host = new("--host")
    {
        Description = "Listen on this address: an IP address, localhost, or * for all addresses of this machine.",
        HelpName = "ADDRESS",
        DefaultValueFactory = _ => Defaults.Host,
    };

    private readonly Option<int?> _http2Port = ParsedOption.Create<int?>(
        "--h2-port",
        "N|none",
        "Offer HTTP/2 without TLS on this port, too; 0 takes a free one, none turns it off (default: on --port only).",
        static (text, out port) =>
        {
            int number = NoPort;
            string? problem = text == "none" ? null : ParsePort(text, out number);
            port = number;
            return problem;
        });

    private readonly Option<string> _transport = new("--transport")
    {
        Description = "Move bytes by Millrace's sockets, or by Kestrel's own: HTTP/2 without TLS then takes the port after --port, if it is free.",
        HelpName = "millrace|kestrel",
        DefaultValueFactory = _ => Millrace,
    };

    private readonly Option<string?> _certificate = new("--cert")
    {
        Description = "Use TLS with the certificate chain in this PEM file, and offer HTTP/2 on the same port.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _key = new("--key")
    {
        Description = "Read the certificate's key from this PEM file (default: the file of --cert).",
        HelpName = "FILE",
    };

    private readonly Option<string?> _tokens = new("--tokens")
    {
        Description = "Read the tokens from this file, which must exist (default: .millrace/tokens.json in the folder, if it exists).",
        HelpName = "FILE",
    };

    private readonly Option<string> _names = new("--names")
    {
        Description = "Take and list all names that this system can have (12:30.png on Linux), or only those that every system can have, Windows too.",
        HelpName = $"{Native}|{Portable}",
        DefaultValueFactory = _ => Defaults.Store.Names == AllowedNames.Native ? Native : Portable,
    };

    private readonly Option<long?> _maxFile = SizeArgument.Option("--max-file", "Limit the size of one file.");
    private readonly Option<long?> _maxRequest = SizeArgument.Option(
        "--max-request", "Tell clients to upload at most this much in one request, for a proxy that refuses more.", 1024 * 1024, range: "1M or more");
    private readonly Option<long?> _maxTotal = SizeArgument.Option("--max-total", "Limit the total size of all files and uploads.");
    private readonly Option<long?> _leaveFree = SizeArgument.Option("--leave-free", "Keep this much of the device free (default: 64 MiB).");
    private readonly Option<long?> _maxCached = SizeArgument.Option(
        "--max-cached", "Keep files larger than this out of the page cache, so that smaller ones stay in it (default: the memory that this process may use).");
    private readonly Option<long?> _minRate = SizeArgument.Option("--min-rate", "Cut an upload that stays below this many bytes per second for 10 s (default: 1K).");

    private readonly Option<int> _maxTransfers = ParsedOption.Count(
        "--max-transfers", "Limit the concurrent transfers per token, or per address without tokens.", Defaults.Limits.MaxTransfers);

    private readonly Option<int> _maxUploads = ParsedOption.Count(
        "--max-uploads",
        "Limit the unfinished resumable uploads per token, or per address without tokens.",
        Defaults.Store.MaxUploadsPerCaller);

    private readonly Option<int> _maxUploadsTotal = ParsedOption.Count(
        "--max-uploads-total", "Limit the unfinished resumable uploads of all tokens and addresses.", Defaults.Store.MaxUploads);

    private readonly Option<int> _maxConnections = ParsedOption.Count(
        "--max-connections", "Limit the concurrent connections.", Defaults.Limits.MaxConnections);

    private readonly Option<long?> _maxBuffered = SizeArgument.Option(
        "--max-buffered", "Limit the memory for bytes that wait to be stored or sent, of all connections (default: 512M).",
        MinBufferedBytes, range: "16M or more");

    private readonly RateOptionSet _rates = new();
    private readonly AccessOptionSet _access = new();
    private readonly ProxyOptionSet _proxies = new();
    private readonly PageOptionSet _pages = new();
    private readonly GrpcOptionSet _grpc = new();
    private readonly MonitorOptionSet _monitor = new();
    private readonly DavOptionSet _dav = new();
    private readonly HomeOptionSet _home = new();
    private readonly TrashOptionSet _trash = new();
    private readonly ScrubOptionSet _scrub = new();
    private readonly HookOptionSet _hook = new();
    private readonly StorageOptionSet _storage = new();
    private readonly ReadOnlyOptionSet _readOnly = new();
    private readonly BucketOptionSet _bucket = new();

    private readonly Option<TimeSpan?> _grace = DurationArgument.Option(
        "--grace", $"Let running transfers finish for this long when the server is stopped (default: {Defaults.ShutdownTimeout.TotalSeconds}s).");

    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Print warnings and errors only." };

    private readonly Option<bool> _json = new("--json")
    {
        Description = "Write the addresses as one JSON line when ready, and the log as JSON.",
    };

    public ServeOptionSet()
    {
        _port.Aliases.Add("-p");
        _port.DefaultValueFactory = _ => Defaults.Port;
        _transport.AcceptOnlyFromAmong(StringComparer.OrdinalIgnoreCase, Millrace, Kestrel);
        _names.AcceptOnlyFromAmong(Native, Portable);
    }

    public void AddTo(Command command, Argument<string> served)
    {
        command.Add(
            _port, _host, _http2Port, _transport, _certificate, _key, _tokens, _names, _maxFile, _maxRequest, _maxTotal, _leaveFree, _maxCached, _minRate,
            _maxTransfers, _maxUploads, _maxUploadsTotal, _maxConnections, _maxBuffered, _grace);
        _rates.AddTo(command);
        _access.AddTo(command);
        _proxies.AddTo(command, _port, _host, _http2Port);
        _trash.AddTo(command);
        _scrub.AddTo(command, served, _readOnly.ReadOnly);
        _hook.AddTo(command);
        _storage.AddTo(command);
        _readOnly.AddTo(command);
        _pages.AddTo(command);
        _grpc.AddTo(command);
        _monitor.AddTo(command);
        _dav.AddTo(command);
        _home.AddTo(command, _certificate, served);
        _bucket.AddTo(command, served, [_leaveFree, _maxCached, _readOnly.State, .. _storage.FolderOnly]);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_tokens) is { Implicit: false } && result.GetResult(_bucket.Tokens) is { Implicit: false })
            {
                result.AddError("--tokens names a file and --s3-tokens the bucket; use one of them.");
            }
        });
        command.Add(_quiet, _json);
    }

    /// <exception cref="TransferException">A file that an option names cannot be read.</exception>
    public ServeSettings ReadSettings(ParseResult parsed, TransferHostOptions options) => new()
    {
        Quiet = parsed.GetValue(_quiet),
        Json = parsed.GetValue(_json),
        Metrics = _monitor.Read(parsed, options),
        Certificate = _home.Read(parsed, options),
        Qr = _home.WantsQr(parsed),
    };

    public bool ReadsBucketTokens(ParseResult parsed) => parsed.GetValue(_bucket.Tokens);

    /// <returns>The bucket to serve; null for a folder.</returns>
    public S3FileStoreOptions? ReadBucket(ParseResult parsed, TransferHostOptions options) =>
        _bucket.Read(parsed, options.Folder, options.Store);

    public TransferHostOptions Read(ParseResult parsed, string folder)
    {
        int? http2 = parsed.GetValue(_http2Port);
        var options = new TransferHostOptions
        {
            Folder = folder,
            Host = parsed.GetValue(_host)!,
            Port = parsed.GetValue(_port),
            OfferHttp2Port = http2 != NoPort,
            Http2Port = http2 == NoPort ? null : http2,
            Transport = Kestrel.Equals(parsed.GetValue(_transport), StringComparison.OrdinalIgnoreCase) ? ServerTransport.Kestrel : ServerTransport.Millrace,
            CertificatePath = parsed.GetValue(_certificate),
            KeyPath = parsed.GetValue(_key),
            TokensPath = parsed.GetValue(_tokens),
            ShutdownTimeout = parsed.GetValue(_grace) ?? Defaults.ShutdownTimeout,
            Store = new LocalFileStoreOptions
            {
                Names = parsed.GetValue(_names) == Native ? AllowedNames.Native : AllowedNames.Portable,
                MaxFileBytes = parsed.GetValue(_maxFile),
                MaxTotalBytes = parsed.GetValue(_maxTotal),
                MaxUploadsPerCaller = parsed.GetValue(_maxUploads),
                MaxUploads = parsed.GetValue(_maxUploadsTotal),
                FreeSpaceToLeave = parsed.GetValue(_leaveFree) ?? Defaults.Store.FreeSpaceToLeave,
                MaxCachedBytes = parsed.GetValue(_maxCached) ?? Defaults.Store.MaxCachedBytes,
            },
            HostNames = _pages.HostNames(parsed),
            SettingNames = SettingNames(parsed, folder),
            PublicUrl = _pages.PublicUrl(parsed),
            Endpoints = new TransferServerOptions { AllowedOrigins = _pages.Origins(parsed), Grpc = _grpc.Read(parsed), MaxRequestBytes = parsed.GetValue(_maxRequest) },
            Limits = new TransferLimits
            {
                MaxTransfers = parsed.GetValue(_maxTransfers),
                MaxConnections = parsed.GetValue(_maxConnections),
                MaxBufferedBytes = parsed.GetValue(_maxBuffered) ?? Defaults.Limits.MaxBufferedBytes,
                MinReceiveRate = (int)Math.Min(int.MaxValue, parsed.GetValue(_minRate) ?? Defaults.Limits.MinReceiveRate),
            },
        };
        _rates.Read(parsed, options.Limits);
        _proxies.Read(parsed, options);
        _access.Read(parsed, options);
        _dav.Read(parsed, options.Endpoints);
        _trash.Read(parsed, options.Store);
        _scrub.Read(parsed, options);
        _storage.Read(parsed, options);
        _hook.Read(parsed, options);
        _readOnly.Read(parsed, options);
        return options;
    }

    /// <summary>What users of the command can do about the server's errors and refusals.</summary>
    private Dictionary<string, string> SettingNames(ParseResult parsed, string folder) => new Dictionary<string, string>
    {
        ["TransferHostOptions.Port"] = _port.Name,
        ["TransferHostOptions.Host"] = _host.Name,
        ["TransferHostOptions.Http2Port"] = _http2Port.Name,
        ["TransferHostOptions.CertificatePath"] = _certificate.Name,
        ["TransferHostOptions.KeyPath"] = _key.Name,
        ["TransferHostOptions.TokensPath"] = _tokens.Name,
        ["TransferHostOptions.Insecure"] = _access.InsecureName,
        ["TransferHostOptions.ReadOnly"] = _readOnly.Name,
        ["LocalFileStoreOptions.StatePath"] = _readOnly.State.Name,
        ["TransferAccessOptions.AllowBasicWithoutTls"] = "--basic-over-http",
        ["TransferHostOptions.HostNames"] = "--host-name",
        ["TransferHostOptions.TrustedProxies"] = "--trusted-proxy",
        ["TransferHostOptions.TrustSocket"] = "--trusted-proxy",
        ["TransferHostOptions.ProxyProtocol"] = "--proxy-protocol",
        ["TransferHostOptions.PathBase"] = "--path-base",
        ["TransferHostOptions.AllowPin"] = "--pin",
        ["TransferHostOptions.AccessLogPath"] = "--access-log",
        ["TransferHostOptions.SocketPath"] = "--socket",
        ["TransferAccessOptions.PublicUrl"] = "--public-url",
        ["TransferServerOptions.AllowedOrigins"] = "--cors",

        // Only errors on starting contain it, not what clients see.
        ["TokenStore.AddAsync"] = parsed.GetValue(_tokens) is not null ? "'millrace token add NAME --tokens FILE'"
            : parsed.GetValue(_readOnly.State) is { Length: > 0 } state ? $"'millrace token add NAME --state {state}'"
            : $"'millrace token add NAME --folder {folder}'{(BucketConnection.IsBucket(folder) ? $" and name it with {_bucket.Tokens.Name}" : "")}",
        ["TransferAccessOptions.Tokens"] = "'millrace token add'",
        ["TokenStore.GetLinkKeyAsync"] = "'millrace link NAME', for a bucket with --folder s3://BUCKET/PREFIX",
    };

    private static string? ParsePort(string text, out int port)
    {
        bool isPort = ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out ushort number);
        port = number;
        return isPort ? null : $"'{text}' is not a valid port; use 0 to {ushort.MaxValue}.";
    }
}

/// <summary>The options of `millrace serve` about gRPC and gRPC-Web.</summary>
internal sealed class GrpcOptionSet
{
    private readonly Option<long?> _maxMessage = SizeArgument.Option(
        "--max-message", "Limit the size of a gRPC message (default: 16M).", 64 * 1024, int.MaxValue, $"65536 (64K) to {int.MaxValue} bytes");

    public void AddTo(Command command) => command.Add(_maxMessage);

    public GrpcServerOptions Read(ParseResult parsed)
    {
        var options = new GrpcServerOptions();
        options.MaxMessageBytes = (int)(parsed.GetValue(_maxMessage) ?? options.MaxMessageBytes);
        return options;
    }
}

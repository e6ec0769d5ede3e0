using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Millrace.Transfer.S3;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve`.</summary>
internal sealed class ServeOptionSet
{
    private const string None = "none";
    private const string Millrace = "millrace";
    private const string Kestrel = "kestrel";
    private const long MinBufferedBytes = 16 * 1024 * 1024;

    private static readonly TransferHostOptions Defaults = new() { Folder = "." };

    private readonly Option<int> _port = new("--port", "-p")
    {
        Description = "Listen on this port; 0 takes a free one.",
        HelpName = "N",
        DefaultValueFactory = _ => Defaults.Port,
    };

    private readonly Option<string> _host = new("--host")
    {
        Description = "Listen on this address: an IP address, localhost, or * for all addresses of this machine.",
        HelpName = "ADDRESS",
        DefaultValueFactory = _ => Defaults.Host,
    };

    private readonly Option<string?> _http2Port = new("--h2-port")
    {
        Description = "Offer HTTP/2 without TLS on this port, too; 0 takes a free one, none turns it off (default: on --port only).",
        HelpName = "N|none",
    };

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

    private readonly Option<bool> _insecure = new("--insecure")
    {
        Description = "Allow everything to everyone who can reach the address, until a token exists.",
    };

    private readonly Option<string?> _maxFile = SizeArgument.Option("--max-file", "Limit the size of one file.");
    private readonly Option<string?> _maxTotal = SizeArgument.Option("--max-total", "Limit the total size of all files and uploads.");
    private readonly Option<string?> _leaveFree = SizeArgument.Option("--leave-free", "Keep this much of the device free (default: 64 MiB).");
    private readonly Option<string?> _minRate = SizeArgument.Option("--min-rate", "Cut an upload that stays below this many bytes per second for 10 s (default: 1K).");

    private readonly Option<int> _maxTransfers = Count(
        "--max-transfers", "Limit the concurrent transfers per token, or per address without tokens.", Defaults.Limits.MaxTransfers);

    private readonly Option<int> _maxUploads = Count(
        "--max-uploads",
        "Limit the unfinished resumable uploads per token, or per address without tokens.",
        Defaults.Store.MaxUploadsPerCaller);

    private readonly Option<int> _maxUploadsTotal = Count(
        "--max-uploads-total", "Limit the unfinished resumable uploads of all tokens and addresses.", Defaults.Store.MaxUploads);

    private readonly Option<int> _maxConnections = Count(
        "--max-connections", "Limit the concurrent connections.", Defaults.Limits.MaxConnections);

    private readonly Option<string?> _maxBuffered = SizeArgument.Option(
        "--max-buffered", "Limit the memory for bytes that wait to be stored or sent, of all connections (default: 512M).");

    private readonly PageOptionSet _pages = new();
    private readonly GrpcOptionSet _grpc = new();
    private readonly BucketOptionSet _bucket = new();

    private readonly Option<string> _grace = new("--grace")
    {
        Description = "Let running transfers finish for this long when the server is stopped.",
        HelpName = "TIME",
        DefaultValueFactory = _ => Defaults.ShutdownTimeout.TotalSeconds.ToString(CultureInfo.InvariantCulture) + "s",
    };

    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Print warnings and errors only." };

    private readonly Option<bool> _json = new("--json")
    {
        Description = "Write the addresses as one JSON line when ready, and the log as JSON.",
    };

    public ServeOptionSet()
    {
        _transport.AcceptOnlyFromAmong(Millrace, Kestrel);
        _port.Validators.Add(result => CheckPort(result, _port.Name, result.Tokens.Count > 0 ? result.Tokens[0].Value : "0"));
        _http2Port.Validators.Add(result =>
        {
            string text = result.Tokens.Count > 0 ? result.Tokens[0].Value : None;
            if (text != None)
            {
                CheckPort(result, _http2Port.Name, text);
            }
        });
        _maxBuffered.Validators.Add(result =>
        {
            if (SizeArgument.TryParse(result.Tokens.Count > 0 ? result.Tokens[0].Value : null, out long bytes)
                && bytes < MinBufferedBytes)
            {
                result.AddError($"--max-buffered: '{result.Tokens[0].Value}' is too little; use 16M or more.");
            }
        });
        _grace.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && !DurationArgument.TryParse(result.Tokens[0].Value, out _))
            {
                result.AddError($"--grace: {DurationArgument.Problem(result.Tokens[0].Value)}");
            }
        });
    }

    public void AddTo(Command command, Argument<string> served)
    {
        foreach (Option option in new Option[]
        {
            _port, _host, _http2Port, _transport, _certificate, _key, _tokens, _insecure, _maxFile, _maxTotal, _leaveFree, _minRate,
            _maxTransfers, _maxUploads, _maxUploadsTotal, _maxConnections, _maxBuffered, _grace,
        })
        {
            command.Options.Add(option);
        }

        _pages.AddTo(command);
        _grpc.AddTo(command);
        _bucket.AddTo(command, served, _leaveFree);
        command.Validators.Add(result =>
        {
            if (result.GetResult(_tokens) is { Implicit: false } && result.GetResult(_bucket.Tokens) is { Implicit: false })
            {
                result.AddError("--tokens names a file and --s3-tokens the bucket; use one of them.");
            }
        });
        command.Options.Add(_quiet);
        command.Options.Add(_json);
    }

    public bool IsQuiet(ParseResult parsed) => parsed.GetValue(_quiet);

    public bool WritesJson(ParseResult parsed) => parsed.GetValue(_json);

    public bool ReadsBucketTokens(ParseResult parsed) => parsed.GetValue(_bucket.Tokens);

    /// <returns>The bucket to serve; null for a folder.</returns>
    public S3FileStoreOptions? ReadBucket(ParseResult parsed, TransferHostOptions options) =>
        _bucket.Read(parsed, options.Folder, options.Store);

    public TransferHostOptions Read(ParseResult parsed, string folder)
    {
        string? http2 = parsed.GetValue(_http2Port);
        return new TransferHostOptions
        {
            Folder = folder,
            Host = parsed.GetValue(_host)!,
            Port = parsed.GetValue(_port),
            OfferHttp2Port = http2 != None,
            Http2Port = http2 is null or None ? null : int.Parse(http2, CultureInfo.InvariantCulture),
            Transport = parsed.GetValue(_transport) == Kestrel ? ServerTransport.Kestrel : ServerTransport.Millrace,
            CertificatePath = parsed.GetValue(_certificate),
            KeyPath = parsed.GetValue(_key),
            TokensPath = parsed.GetValue(_tokens),
            Insecure = parsed.GetValue(_insecure),
            ShutdownTimeout = DurationArgument.TryParse(parsed.GetValue(_grace), out TimeSpan grace) ? grace : TimeSpan.Zero,
            Store = new LocalFileStoreOptions
            {
                MaxFileBytes = Bytes(parsed.GetValue(_maxFile)),
                MaxTotalBytes = Bytes(parsed.GetValue(_maxTotal)),
                MaxUploadsPerCaller = parsed.GetValue(_maxUploads),
                MaxUploads = parsed.GetValue(_maxUploadsTotal),
                FreeSpaceToLeave = Bytes(parsed.GetValue(_leaveFree)) ?? Defaults.Store.FreeSpaceToLeave,
            },
            HostNames = _pages.HostNames(parsed),
            SettingNames = SettingNames(parsed, folder),
            PublicUrl = _pages.PublicUrl(parsed),
            Endpoints = new TransferServerOptions { AllowedOrigins = _pages.Origins(parsed), Grpc = _grpc.Read(parsed) },
            Limits = new TransferLimits
            {
                MaxTransfers = parsed.GetValue(_maxTransfers),
                MaxConnections = parsed.GetValue(_maxConnections),
                MaxBufferedBytes = Bytes(parsed.GetValue(_maxBuffered)) ?? Defaults.Limits.MaxBufferedBytes,
                MinReceiveRate = (int)Math.Min(
                    int.MaxValue, Bytes(parsed.GetValue(_minRate)) ?? Defaults.Limits.MinReceiveRate),
            },
        };
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
        ["TransferHostOptions.Insecure"] = _insecure.Name,
        ["TransferHostOptions.HostNames"] = "--host-name",
        ["TransferAccessOptions.PublicUrl"] = "--public-url",
        ["TransferServerOptions.AllowedOrigins"] = "--cors",

        // Only errors on starting contain it, not what clients see.
        ["TokenStore.AddAsync"] = parsed.GetValue(_tokens) is not null ? "'millrace token add NAME --tokens FILE'"
            : $"'millrace token add NAME --folder {folder}'{(BucketConnection.IsBucket(folder) ? $" and name it with {_bucket.Tokens.Name}" : "")}",
        ["TransferAccessOptions.Tokens"] = "'millrace token add'",
        ["TokenStore.GetLinkKeyAsync"] = "'millrace link NAME', for a bucket with --folder s3://BUCKET/PREFIX",
    };

    private static long? Bytes(string? text) => SizeArgument.TryParse(text, out long bytes) ? bytes : null;

    private static Option<int> Count(string name, string description, int usual)
    {
        var option = new Option<int>(name) { Description = description, HelpName = "N", DefaultValueFactory = _ => usual };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0
                && (!int.TryParse(result.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out int count)
                    || count < 1))
            {
                result.AddError($"{name}: '{result.Tokens[0].Value}' is not a valid count; use 1 or more.");
            }
        });
        return option;
    }

    private static void CheckPort(OptionResult result, string name, string text)
    {
        if (!ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out _))
        {
            result.AddError($"{name}: '{text}' is not a valid port; use 0 to {ushort.MaxValue}.");
        }
    }
}

/// <summary>The options of `millrace serve` about gRPC and gRPC-Web.</summary>
internal sealed class GrpcOptionSet
{
    private const int MinMessageBytes = 64 * 1024;

    private readonly Option<string?> _maxMessage = new("--max-message")
    {
        Description = "Limit the size of a gRPC message (default: 16M).",
        HelpName = "SIZE",
    };

    public GrpcOptionSet() => _maxMessage.Validators.Add(CheckMaxMessage);

    public void AddTo(Command command) => command.Options.Add(_maxMessage);

    public GrpcServerOptions Read(ParseResult parsed) => new()
    {
        MaxMessageBytes = SizeArgument.TryParse(parsed.GetValue(_maxMessage), out long bytes)
            ? (int)bytes
            : new GrpcServerOptions().MaxMessageBytes,
    };

    private void CheckMaxMessage(OptionResult result)
    {
        string text = result.Tokens.Count > 0 ? result.Tokens[0].Value : "";
        if (!SizeArgument.TryParse(text, out long bytes))
        {
            result.AddError(SizeArgument.Problem("--max-message", text));
        }
        else if (bytes is < MinMessageBytes or > int.MaxValue)
        {
            result.AddError(string.Create(
                CultureInfo.InvariantCulture,
                $"--max-message takes {MinMessageBytes} (64K) to {int.MaxValue} bytes, and '{text}' is {bytes}."));
        }
    }
}

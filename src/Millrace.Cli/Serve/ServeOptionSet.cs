using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Millrace.Cli.Token;
using Millrace.Transfer.Server;

namespace Millrace.Cli.Serve;

/// <summary>The options of `millrace serve`.</summary>
internal sealed class ServeOptionSet
{
    private const string None = "none";

    private readonly Option<int> _port = new("--port", "-p")
    {
        Description = "The port; 0 for one that is free.",
        HelpName = "N",
        DefaultValueFactory = _ => TransferHostOptions.DefaultPort,
    };

    private readonly Option<string> _host = new("--host")
    {
        Description = "The address to listen on: an IP address, localhost, or * for all of this machine.",
        HelpName = "ADDRESS",
        DefaultValueFactory = _ => TransferHostOptions.DefaultHost,
    };

    private readonly Option<string?> _http2Port = new("--h2-port")
    {
        Description = "The port of HTTP/2 without TLS, 0 for one that is free, or none; otherwise the one behind --port, if it is free.",
        HelpName = "N|none",
    };

    private readonly Option<string?> _certificate = new("--cert")
    {
        Description = "A PEM file with the server's certificate and those above it: TLS, and HTTP/2 on the same port.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _key = new("--key")
    {
        Description = "A PEM file with the certificate's key, where that is not in the same file.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _tokens = new("--tokens")
    {
        Description = "The file of tokens; otherwise .millrace/tokens.json in the folder.",
        HelpName = "FILE",
    };

    private readonly Option<bool> _insecure = new("--insecure")
    {
        Description = "Let everybody who reaches the address do everything, as long as there is no token.",
    };

    private readonly Option<string?> _maxFile = Size("--max-file", "Bytes that one file may have.");
    private readonly Option<string?> _maxTotal = Size("--max-total", "Bytes that all files and uploads may have together.");
    private readonly Option<string?> _leaveFree = Size("--leave-free", "Bytes of the device that stay free (64 MiB).");
    private readonly Option<string?> _minRate = Size("--min-rate", "Bytes a second below which an upload is cut after 10 s (1K).");

    private readonly Option<int> _maxTransfers = Count(
        "--max-transfers", "Transfers at once for each token, or for each address without tokens.", TransferLimits.DefaultMaxTransfers);

    private readonly Option<int> _maxConnections = Count(
        "--max-connections", "Connections at once.", TransferLimits.DefaultMaxConnections);

    private readonly GrpcOptionSet _grpc = new();

    private readonly Option<string> _grace = new("--grace")
    {
        Description = "How long transfers may go on when the server is stopped.",
        HelpName = "TIME",
        DefaultValueFactory = _ => TransferHostOptions.DefaultGraceSeconds.ToString(CultureInfo.InvariantCulture) + "s",
    };

    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Say nothing but warnings and errors." };

    private readonly Option<bool> _json = new("--json")
    {
        Description = "Print one JSON line with the addresses when ready, and the log as JSON.",
    };

    public ServeOptionSet()
    {
        _port.Validators.Add(result => CheckPort(result, _port.Name, result.Tokens.Count > 0 ? result.Tokens[0].Value : "0"));
        _http2Port.Validators.Add(result =>
        {
            string text = result.Tokens.Count > 0 ? result.Tokens[0].Value : None;
            if (text != None)
            {
                CheckPort(result, _http2Port.Name, text);
            }
        });
        _grace.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && !LifetimeArgument.TryParse(result.Tokens[0].Value, out _))
            {
                result.AddError($"--grace '{result.Tokens[0].Value}' is no time. Write {LifetimeArgument.Examples}.");
            }
        });
    }

    /// <summary>Adds them.</summary>
    public void AddTo(Command command)
    {
        foreach (Option option in new Option[]
        {
            _port, _host, _http2Port, _certificate, _key, _tokens, _insecure, _maxFile, _maxTotal, _leaveFree, _minRate,
            _maxTransfers, _maxConnections, _grace,
        })
        {
            command.Options.Add(option);
        }

        _grpc.AddTo(command);
        command.Options.Add(_quiet);
        command.Options.Add(_json);
    }

    /// <summary>Takes what was given.</summary>
    public ServeArguments Read(ParseResult parsed, string folder)
    {
        long? maxFile = Bytes(parsed.GetValue(_maxFile));
        string? http2 = parsed.GetValue(_http2Port);
        return new ServeArguments
        {
            Quiet = parsed.GetValue(_quiet),
            Json = parsed.GetValue(_json),
            Host = new TransferHostOptions
            {
                Folder = folder,
                Host = parsed.GetValue(_host)!,
                Port = parsed.GetValue(_port),
                OfferHttp2Port = http2 != None,
                Http2Port = http2 is null or None ? null : int.Parse(http2, CultureInfo.InvariantCulture),
                CertificatePath = parsed.GetValue(_certificate),
                KeyPath = parsed.GetValue(_key),
                TokensPath = parsed.GetValue(_tokens),
                Insecure = parsed.GetValue(_insecure),
                Grace = LifetimeArgument.TryParse(parsed.GetValue(_grace), out TimeSpan grace) ? grace : TimeSpan.Zero,
                Store = new LocalFileStoreOptions
                {
                    MaxFileBytes = maxFile,
                    MaxTotalBytes = Bytes(parsed.GetValue(_maxTotal)),
                    FreeSpaceToLeave = Bytes(parsed.GetValue(_leaveFree)) ?? LocalFileStoreOptions.DefaultFreeSpaceToLeave,
                },
                Endpoints = new TransferServerOptions { Grpc = _grpc.Read(parsed) },
                Limits = new TransferLimits
                {
                    MaxTransfers = parsed.GetValue(_maxTransfers),
                    MaxConnections = parsed.GetValue(_maxConnections),
                    MaxBodyBytes = maxFile,
                    MinReceiveRate = (int)Math.Min(
                        int.MaxValue, Bytes(parsed.GetValue(_minRate)) ?? TransferLimits.DefaultMinReceiveRate),
                },
            },
        };
    }

    private static long? Bytes(string? text) => SizeArgument.TryParse(text, out long bytes) ? bytes : null;

    private static Option<string?> Size(string name, string description)
    {
        var option = new Option<string?>(name) { Description = description, HelpName = "SIZE" };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0 && !SizeArgument.TryParse(result.Tokens[0].Value, out _))
            {
                result.AddError($"{name} '{result.Tokens[0].Value}' is no number of bytes. Write {SizeArgument.Examples}.");
            }
        });
        return option;
    }

    private static Option<int> Count(string name, string description, int usual)
    {
        var option = new Option<int>(name) { Description = description, HelpName = "N", DefaultValueFactory = _ => usual };
        option.Validators.Add(result =>
        {
            if (result.Tokens.Count > 0
                && (!int.TryParse(result.Tokens[0].Value, NumberStyles.None, CultureInfo.InvariantCulture, out int count)
                    || count < 1))
            {
                result.AddError($"{name} '{result.Tokens[0].Value}' is no number from 1 on.");
            }
        });
        return option;
    }

    private static void CheckPort(OptionResult result, string name, string text)
    {
        if (!ushort.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out _))
        {
            result.AddError($"{name} '{text}' is no port. Ports are 0 to {ushort.MaxValue}.");
        }
    }
}

using System.CommandLine;
using System.CommandLine.Parsing;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>The options that put, get, ls and rm share.</summary>
internal sealed class TransferOptionSet
{
    private static readonly TransferClientOptions Defaults = new();

    private readonly Option<string?> _token = new("--token")
    {
        Description = $"Use this token. Other users of this machine can see it; prefer --token-file or {TokenSource.Variable}.",
        HelpName = "TOKEN",
    };

    private readonly Option<string?> _tokenFile = new("--token-file")
    {
        Description = "Read the token from the first line of this file.",
        HelpName = "FILE",
    };

    private readonly Option<int> _attempts = ParsedOption.Count(
        "--attempts", "Fail after this many attempts in a row without progress.", Defaults.MaxAttempts);

    private readonly Option<TimeSpan?> _idle = DurationArgument.WaitOption(
        "--idle-timeout",
        $"Give up on a connection after this time without data: 500ms, 30s, 2m (default: {Defaults.IdleTimeout.TotalSeconds}s).",
        "500ms, 30s or 2m");

    private readonly TlsOptionSet _tls = new();

    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Print errors only." };

    private readonly Option<bool> _verbose = new("--verbose") { Description = "Print the call, the protocol and the status of failed requests, too." };

    private readonly Option<bool> _json = new("--json") { Description = "Write results and errors as JSON, one object per line." };

    private readonly ProtocolOptionSet _protocol;
    private readonly Option<int>? _connections;
    private readonly Option<bool>? _noVerify;
    private readonly Option<long?>? _limitRate;
    private readonly Option<string>? _delta;
    private readonly NoCacheOption? _noCache;

    public TransferOptionSet(bool moves)
    {
        _protocol = new ProtocolOptionSet(moves);
        _tokenFile.Validators.Add(result =>
        {
            if (result.GetResult(_token) is { Implicit: false })
            {
                result.AddError("--token and --token-file exclude each other.");
            }
        });
        if (!moves)
        {
            return;
        }

        _connections = ParsedOption.Count(
            "--connections", "Use at most this many connections for the parts of one file.", Defaults.MaxConnections);
        _delta = new Option<string>("--delta")
        {
            Description = "Move only what has changed of files that both sides have (default: auto, where the network is slower than comparing).",
            HelpName = "auto|always|never",
            DefaultValueFactory = static _ => "auto",
        };
        _delta.AcceptOnlyFromAmong("auto", "always", "never");
        _limitRate = SizeArgument.Option(
            "--limit-rate", "Move at most so many bytes in a second, all files together.", min: 1000, range: "1000 bytes or more");
        _noVerify = new Option<bool>("--no-verify")
        {
            Description = "Do not compute and compare SHA-256 on both sides.",
        };
        _noCache = new NoCacheOption();
    }

    public void AddTo(Command command)
    {
        _protocol.AddTo(command);
        command.Add(_token, _tokenFile, _delta, _connections, _attempts, _idle, _limitRate, _noVerify, _noCache);
        _tls.AddTo(command);
        command.Add(_quiet, _verbose, _json);
    }

    public TransferSettings Read(ParseResult parsed)
    {
        TransferFailure.IsVerbose = parsed.GetValue(_verbose);
        var client = new TransferClientOptions
        {
            Token = TokenSource.Find(parsed.GetValue(_token), parsed.GetValue(_tokenFile)),
            Protocol = _protocol.Protocol(parsed),
            Compression = _protocol.Compression(parsed),
            MaxAttempts = parsed.GetValue(_attempts),
            MaxReceiving = FileTurns.SmallAtOnce,
            MaxConnections = _connections is null ? 1 : parsed.GetValue(_connections),
            VerifyDigests = _noVerify is null || !parsed.GetValue(_noVerify),
            KeepCached = _noCache is null || !parsed.GetValue(_noCache),
            MaxBytesPerSecond = _limitRate is null ? null : parsed.GetValue(_limitRate),
            IdleTimeout = parsed.GetValue(_idle) ?? Defaults.IdleTimeout,
            Delta = _delta is null ? TransferDelta.Never : Enum.Parse<TransferDelta>(parsed.GetValue(_delta)!, ignoreCase: true),
        };
        _tls.Read(parsed, client);
        return new TransferSettings { Quiet = parsed.GetValue(_quiet), Json = parsed.GetValue(_json), Client = client };
    }
}

/// <summary>The common options of the commands that speak with a server.</summary>
internal sealed record TransferSettings
{
    public required TransferClientOptions Client { get; init; }
    public bool Quiet { get; init; }
    public bool Json { get; init; }

    /// <summary>Prints a result: as JSON, or as a sentence unless the command is quiet.</summary>
    public void Print<T>(T line, string text)
    {
        if (Json || !Quiet)
        {
            TransferCommand.WriteLine(Console.Out, Json ? CommandJson.ToLine(line) : text);
        }
    }
}

/// <summary>The options that choose the protocol, and how gRPC is spoken on it.</summary>
internal sealed class ProtocolOptionSet
{
    private readonly Option<string> _via = new("--via")
    {
        Description = "Use this protocol (default: the best one that the server offers).",
        HelpName = string.Join('|', ProtocolNames.All),
        DefaultValueFactory = _ => ProtocolNames.All[0],
    };

    private readonly Option<bool>? _gzip;

    public ProtocolOptionSet(bool moves)
    {
        _via.AcceptOnlyFromAmong([.. ProtocolNames.All]);
        if (!moves)
        {
            return;
        }

        _gzip = new Option<bool>("--gzip")
        {
            Description = "Compress the transfer; only with a gRPC protocol in --via.",
        };
        _gzip.Validators.Add(CheckContent);
    }

    public void AddTo(Command command) => command.Add(_via, _gzip);

    public TransferProtocol Protocol(ParseResult parsed) => ProtocolNames.Parse(parsed.GetValue(_via)!) ?? default;

    public TransferCompression Compression(ParseResult parsed) =>
        _gzip is not null && parsed.GetValue(_gzip) ? TransferCompression.Gzip : TransferCompression.None;

    private void CheckContent(OptionResult result)
    {
        // The parser reports an unknown protocol.
        string? name = result.GetResult(_via) is { Tokens: [{ Value: var text }] } ? text : ProtocolNames.All[0];
        if (!result.Implicit && ProtocolNames.Parse(name) is { } protocol && !ProtocolNames.IsGrpc(protocol))
        {
            result.AddError(
                $"{result.Option.Name} needs a gRPC protocol, and {name} is none. Add --via {string.Join(" or ", ProtocolNames.Grpc)}, or leave {result.Option.Name} out.");
        }
    }
}

/// <summary>Where the token comes from.</summary>
internal static class TokenSource
{
    /// <summary>Used unless an option is given: not seen in a list of processes, as an argument is.</summary>
    public const string Variable = "MILLRACE_TOKEN";

    /// <summary>The token; null without one.</summary>
    public static string? Find(string? token, string? file)
    {
        if (token is not null)
        {
            return Checked(token, "--token");
        }

        if (file is not null)
        {
            return FromFile("--token-file", file);
        }

        string? variable = Environment.GetEnvironmentVariable(Variable);
        return string.IsNullOrEmpty(variable) ? null : Checked(variable, Variable);
    }

    /// <summary>The token on the first line of a file, which an option names.</summary>
    public static string FromFile(string option, string file) => Checked(Read(option, file), $"{option} '{file}'");

    private static string Read(string option, string file)
    {
        try
        {
            // By a reader that another program's lock does not stop.
            using FilePipeReader reader = FilePipe.OpenRead(file);
            using var text = new StreamReader(reader.AsStream());
            return text.ReadLine()?.Trim() ?? "";
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new TransferException(
                TransferError.InvalidRequest, $"{option}: {exception.Message}", innerException: exception);
        }
    }

    private static string Checked(string token, string from)
    {
        foreach (char c in token)
        {
            if (!char.IsAscii(c) || char.IsControl(c) || c == ' ')
            {
                throw Wrong(from, "has a character that no token has");
            }
        }

        return token.Length > 0 ? token : throw Wrong(from, "is empty");
    }

    private static TransferException Wrong(string from, string why) => new(
        TransferError.InvalidRequest, $"The token of {from} {why}. Give it as 'millrace token add' printed it.");
}

/// <summary>The condition on a name that is written or deleted: <c>--new</c> and <c>--if-match</c>.</summary>
internal static class ConditionOptions
{
    public static Option<string?> IfMatch()
    {
        var option = new Option<string?>("--if-match")
        {
            Description = "Require that the file on the server has this tag, as 'millrace ls --long' prints it; * for any.",
            HelpName = "TAG",
        };
        option.Validators.Add(result =>
        {
            string tag = Unquoted(result.GetValueOrDefault<string>() ?? "");
            if (tag.Length == 0 || tag.Any(c => c is <= ' ' or '"' or > '~'))
            {
                result.AddError("--if-match takes a tag of printable ASCII, with or without quotes.");
            }
        });
        return option;
    }

    public static WritePrecondition Read(bool createNew, string? tag) => tag switch
    {
        null => new WritePrecondition { CreateNew = createNew },
        "*" => new WritePrecondition { MustExist = true },
        _ => new WritePrecondition { Match = [new EntityTag(Unquoted(tag))] },
    };

    // A shell has mostly taken the quotes away.
    private static string Unquoted(string tag) => tag.Length >= 2 && tag[0] == '"' && tag[^1] == '"' ? tag[1..^1] : tag;
}

using System.CommandLine;
using System.Globalization;
using Millrace.Transfer;

namespace Millrace.Cli.Transfer;

/// <summary>The options that put, get, ls and rm share.</summary>
internal sealed class TransferOptionSet
{
    private readonly Option<string?> _token = new("--token")
    {
        Description = $"The token to show. Others on this machine see it; better --token-file, or {TokenSource.Variable}.",
        HelpName = "TOKEN",
    };

    private readonly Option<string?> _tokenFile = new("--token-file")
    {
        Description = "A file whose first line is the token.",
        HelpName = "FILE",
    };

    private readonly Option<int> _attempts = new("--attempts")
    {
        Description = "How often in a row it is tried without any progress before it fails.",
        HelpName = "N",
        DefaultValueFactory = _ => TransferClientOptions.DefaultMaxAttempts,
    };

    private readonly Option<string> _idle = new("--idle-timeout")
    {
        Description = "How long nothing may arrive before a connection counts as dead: 500ms, 30s, 2m.",
        HelpName = "TIME",
        DefaultValueFactory = _ =>
            (TransferClientOptions.DefaultIdleTimeoutMilliseconds / 1000).ToString(CultureInfo.InvariantCulture) + "s",
    };

    private readonly Option<bool> _quiet = new("--quiet", "-q") { Description = "Say nothing but errors." };

    private readonly Option<bool> _json = new("--json") { Description = "Tell results and errors as JSON, one object a line." };

    private readonly ProtocolOptionSet _protocol;
    private readonly Option<int>? _connections;
    private readonly Option<bool>? _noVerify;

    /// <summary>Describes them.</summary>
    /// <param name="moves">Whether files are moved, so that their coding, connections and digests can be chosen.</param>
    public TransferOptionSet(bool moves)
    {
        _protocol = new ProtocolOptionSet(moves);
        AtLeastOne(_attempts);
        _idle.Validators.Add(result =>
        {
            if (!DurationArgument.TryParse(result.GetValueOrDefault<string>(), out _))
            {
                result.AddError("--idle-timeout takes a time of at most a day, for example 500ms, 30s or 2m.");
            }
        });
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

        _connections = new Option<int>("--connections")
        {
            Description = "Connections at most for the parts of one file, on a slow way.",
            HelpName = "N",
            DefaultValueFactory = _ => TransferClientOptions.DefaultMaxConnections,
        };
        AtLeastOne(_connections);
        _noVerify = new Option<bool>("--no-verify")
        {
            Description = "Do not compute and compare SHA-256 at both ends.",
        };
    }

    /// <summary>Adds them to a command.</summary>
    public void AddTo(Command command)
    {
        _protocol.AddTo(command);
        Option?[] all = [_token, _tokenFile, _connections, _attempts, _idle, _noVerify, _quiet, _json];
        foreach (Option? option in all)
        {
            if (option is not null)
            {
                command.Options.Add(option);
            }
        }
    }

    /// <summary>What the user gave.</summary>
    /// <exception cref="TransferException">There is no token where one was said to be.</exception>
    public TransferSettings Read(ParseResult parsed) => new()
    {
        Quiet = parsed.GetValue(_quiet),
        Json = parsed.GetValue(_json),
        Client = new TransferClientOptions
        {
            Token = TokenSource.Find(parsed.GetValue(_token), parsed.GetValue(_tokenFile)),
            Protocol = _protocol.Protocol(parsed),
            Compression = _protocol.Compression(parsed),
            MaxAttempts = parsed.GetValue(_attempts),
            MaxConnections = _connections is null ? 1 : parsed.GetValue(_connections),
            VerifyDigests = _noVerify is null || !parsed.GetValue(_noVerify),
            IdleTimeout = DurationArgument.TryParse(parsed.GetValue(_idle), out TimeSpan idle)
                ? idle
                : TimeSpan.FromMilliseconds(TransferClientOptions.DefaultIdleTimeoutMilliseconds),
        },
    };

    private static void AtLeastOne(Option<int> option) => option.Validators.Add(result =>
    {
        // What is no number at all is refused by the parser.
        if (result.Tokens is [{ Value: var text }]
            && int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out int number)
            && number < 1)
        {
            result.AddError($"{option.Name} takes a number from 1 on.");
        }
    });
}

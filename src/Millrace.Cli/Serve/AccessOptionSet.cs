using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` about callers without a token, and about Basic authentication.</summary>
internal sealed class AccessOptionSet
{
    private readonly Option<bool> _insecure = new("--insecure")
    {
        Description = "Allow everything to everyone who can reach the address, until a token exists.",
    };

    private readonly Option<TransferScope> _public = ParsedOption.Create<TransferScope>(
        "--public",
        "SCOPES",
        "Allow this without a token: read, list or read,list. Everything else needs one.",
        static (text, out scopes) =>
        {
            try
            {
                return TransferScopes.TryParse(text, out scopes, out _) && new TransferHostOptions { PublicScopes = scopes }.PublicScopes == scopes
                    ? null
                    : $"'{text}' is not something to allow without a token; use read, list or read,list.";
            }
            catch (ArgumentException)
            {
                scopes = TransferScope.None;
                return $"'{text}' cannot be allowed without a token; use read, list or read,list.";
            }
        });

    private readonly Option<bool> _basicOverHttp = new("--basic-over-http")
    {
        Description = "Accept Basic authentication without TLS from other machines, where the network can read the token.",
    };

    public string InsecureName => _insecure.Name;

    public void AddTo(Command command)
    {
        command.Add(_insecure, _public, _basicOverHttp);
        command.Validators.Add(result =>
        {
            if (result.GetValue(_insecure) && result.GetResult(_public) is { Implicit: false })
            {
                result.AddError("--insecure allows everything without a token, and --public some of it; leave one of them out.");
            }
        });
    }

    public void Read(ParseResult parsed, TransferHostOptions options)
    {
        options.Insecure = parsed.GetValue(_insecure);
        options.PublicScopes = parsed.GetValue(_public);
        options.AllowBasicWithoutTls = parsed.GetValue(_basicOverHttp);
    }
}

using System.CommandLine;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>The options about certificates, of all commands that speak with a server.</summary>
internal sealed class TlsOptionSet
{
    private const string InsecureTls = "--insecure-tls";

    private readonly Option<string?> _caCert = new("--ca-cert")
    {
        Description = "Trust the authorities in this PEM file to vouch for the server, instead of the system's.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _clientCert = new("--client-cert")
    {
        Description = "Show this certificate to a server that asks for one; a PEM file.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _clientKey = new("--client-key")
    {
        Description = "Read the key of --client-cert from this PEM file (default: the file of --client-cert).",
        HelpName = "FILE",
    };

    private readonly Option<bool> _insecureTls = new(InsecureTls)
    {
        Description = "Accept any certificate of the server. Anyone on the way can then read and change files, and take the token.",
    };

    public TlsOptionSet()
    {
        _caCert.Validators.Add(result =>
        {
            if (result.GetResult(_insecureTls) is { Implicit: false })
            {
                result.AddError($"--ca-cert checks the server's certificate, and {InsecureTls} does not; leave one of them out.");
            }
        });
        _clientKey.Validators.Add(result =>
        {
            if (result.GetResult(_clientCert) is not { Implicit: false })
            {
                result.AddError("--client-key is the key of a certificate; name that with --client-cert.");
            }
        });
    }

    public void AddTo(Command command) => command.Add(_caCert, _clientCert, _clientKey, _insecureTls);

    public void Read(ParseResult parsed, TransferClientOptions client)
    {
        client.CaCertificatePath = parsed.GetValue(_caCert);
        client.ClientCertificatePath = parsed.GetValue(_clientCert);
        client.ClientKeyPath = parsed.GetValue(_clientKey);
        client.AllowAnyCertificate = parsed.GetValue(_insecureTls);
    }

    /// <summary>Each time, and however quiet the command has to be.</summary>
    public static void WarnIfInsecure(string name, TransferClientOptions client)
    {
        if (client.AllowAnyCertificate)
        {
            Console.Error.WriteLine(
                $"millrace {name}: warning: with {InsecureTls} no certificate is checked, and anyone on the way can read and change files, and take the token.");
        }
    }
}

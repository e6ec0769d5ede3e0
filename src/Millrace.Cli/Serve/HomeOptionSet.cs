using System.CommandLine;
using Millrace.Transfer.Server;

namespace Millrace.Cli;

/// <summary>The options of `millrace serve` that share a folder with devices in the same home: a PIN, a self-signed certificate, a QR code.</summary>
internal sealed class HomeOptionSet
{
    private readonly Option<bool> _pin = new("--pin")
    {
        Description = "Let a browser sign in with a PIN of six digits, which is printed: once, within ten minutes. Enter prints another one.",
    };

    private readonly Option<bool> _selfSigned = new("--self-signed")
    {
        Description = "Use TLS with a certificate that the server makes and keeps; its fingerprint is printed.",
    };

    private readonly Option<bool> _qr = new("--qr")
    {
        Description = "Print the address as a QR code, also if the output is not a terminal or only this machine can reach the server.",
    };

    public void AddTo(Command command, Option certificate, Argument<string> served)
    {
        command.Add(_pin, _selfSigned, _qr);
        command.Validators.Add(result =>
        {
            if (!result.GetValue(_selfSigned))
            {
                return;
            }

            if (result.GetResult(certificate) is { Implicit: false })
            {
                result.AddError($"--self-signed makes a certificate, and {certificate.Name} names one; leave one of them out.");
            }

            if (BucketConnection.IsBucket(result.GetResult(served)?.Tokens is [var token, ..] ? token.Value : null))
            {
                result.AddError($"--self-signed keeps its certificate in the folder that is served; for a bucket, name one with {certificate.Name}.");
            }
        });
    }

    public bool WantsQr(ParseResult parsed) => parsed.GetValue(_qr);

    /// <returns>The certificate that was made or found; null without one.</returns>
    /// <exception cref="Millrace.Transfer.TransferException">It cannot be made.</exception>
    public SelfSignedCertificate? Read(ParseResult parsed, TransferHostOptions options)
    {
        options.AllowPin = parsed.GetValue(_pin);
        if (!parsed.GetValue(_selfSigned))
        {
            return null;
        }

        if (options.ReadOnly && options.Store.StatePath is null)
        {
            throw TransferCommand.Invalid($"{_selfSigned.Name} keeps its certificate, and nothing is written to the folder; name a place for it with --state DIR.");
        }

        var certificate = SelfSignedCertificate.FindOrCreate(
            Path.GetDirectoryName(TokenStore.DefaultPath(options.Folder, options.Store.StatePath))!, options.HostNames, DateTimeOffset.UtcNow);
        options.CertificatePath = certificate.CertificatePath;
        options.KeyPath = certificate.KeyPath;
        return certificate;
    }
}

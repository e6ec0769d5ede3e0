using System.Globalization;
using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer;

/// <summary>How a client checks its server's certificate, and shows its own.</summary>
internal static class ClientTls
{
    // A certificate may have hundreds of names.
    private const int MaxNames = 5;

    /// <summary>Reads the certificates that the options name. The reasons for which a server's is refused are in the handshake's exception.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: a file cannot be read, or has the wrong content.</exception>
    public static SslClientAuthenticationOptions Read(TransferClientOptions options)
    {
        var tls = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = ThrowIfInvalid };
        if (options.AllowAnyCertificate)
        {
#pragma warning disable CA5359 // The owner of the client has asked for exactly this.
            tls.RemoteCertificateValidationCallback = static (_, _, _, _) => true;
#pragma warning restore CA5359
        }
        else if (options.CaCertificatePath is { } authorities)
        {
            var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
            ReadFile(authorities, "certificates of authorities", () => policy.CustomTrustStore.ImportFromPemFile(authorities));
            if (policy.CustomTrustStore.Count == 0)
            {
                throw Unusable(authorities, "certificates of authorities", "it has no certificate");
            }

            tls.CertificateChainPolicy = policy;
        }

        if (options.ClientCertificatePath is { } path)
        {
            var chain = new X509Certificate2Collection();
            string key = options.ClientKeyPath ?? path;
            ReadFile(path, "the client's certificate", () => chain.ImportFromPemFile(path));
            ReadFile(key, "the key of the client's certificate", () =>
                tls.ClientCertificateContext = SslStreamCertificateContext.Create(Usable(X509Certificate2.CreateFromPemFile(path, key)), chain, offline: true));
        }
        else if (options.ClientKeyPath is { } key)
        {
            throw Unusable(key, "the key of the client's certificate", "no certificate is named");
        }

        return tls;
    }

    /// <summary>Accepts certificates that the system has found valid, and reports the problem with any other.</summary>
    /// <exception cref="AuthenticationException">The certificate is not valid for this server.</exception>
    private static bool ThrowIfInvalid(object sender, X509Certificate? certificate, X509Chain? chain, SslPolicyErrors errors) =>
        errors == SslPolicyErrors.None
            ? true
            : throw new AuthenticationException(PrintableText.Clean(string.Join("; ", Faults((sender as SslStream)?.TargetHostName, certificate as X509Certificate2, chain, errors))));

    private static IEnumerable<string> Faults(string? host, X509Certificate2? certificate, X509Chain? chain, SslPolicyErrors errors)
    {
        if (certificate is null)
        {
            yield return "the server has no certificate";
            yield break;
        }

        if (errors.HasFlag(SslPolicyErrors.RemoteCertificateNameMismatch))
        {
            string[] names = [.. certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>()
                .SelectMany(static names => names.EnumerateDnsNames().Concat(names.EnumerateIPAddresses().Select(static address => address.ToString())))];
            string whose = names.Length == 0 ? $"has no name of a server, only '{certificate.Subject}'"
                : $"is for {string.Join(", ", names.Take(MaxNames))}{(names.Length > MaxNames ? $" and {names.Length - MaxNames} more" : "")}";
            yield return $"the server's certificate {whose}, and not for {host}";
        }

        X509ChainStatusFlags status = (chain?.ChainStatus ?? []).Aggregate(X509ChainStatusFlags.NoError, static (all, one) => all | one.Status);
        if (status.HasFlag(X509ChainStatusFlags.NotTimeValid))
        {
            DateTime now = TimeProvider.System.GetLocalNow().DateTime;
            yield return certificate.NotAfter < now ? $"the server's certificate has expired on {DateOf(certificate.NotAfter)}"
                : certificate.NotBefore > now ? $"the server's certificate is valid from {DateOf(certificate.NotBefore)} on, and this machine's clock says {DateOf(now)}"
                : "the certificate of an authority of the server's has expired";
        }

        if (status.HasFlag(X509ChainStatusFlags.UntrustedRoot) || status.HasFlag(X509ChainStatusFlags.PartialChain))
        {
            yield return certificate.Subject == certificate.Issuer
                ? "the server has signed its certificate itself, and that is not trusted here"
                : $"the server's certificate is signed by '{certificate.Issuer}', and no authority that is trusted here vouches for that";
        }

        const X509ChainStatusFlags named = X509ChainStatusFlags.NotTimeValid | X509ChainStatusFlags.UntrustedRoot | X509ChainStatusFlags.PartialChain;
        foreach (X509ChainStatus other in (chain?.ChainStatus ?? []).Where(static one => !named.HasFlag(one.Status)))
        {
            yield return $"the server's certificate is not valid: {other.StatusInformation.Trim().TrimEnd('.')} ({other.Status})";
        }
    }

    private static string DateOf(DateTime time) => time.ToUniversalTime().ToString("yyyy-MM-dd HH:mm 'UTC'", CultureInfo.InvariantCulture);

    /// <summary>Windows uses no key in TLS that is only in memory.</summary>
    private static X509Certificate2 Usable(X509Certificate2 certificate)
    {
        if (!OperatingSystem.IsWindows())
        {
            return certificate;
        }

        using (certificate)
        {
            return X509CertificateLoader.LoadPkcs12(certificate.Export(X509ContentType.Pkcs12), password: null);
        }
    }

    private static void ReadFile(string path, string what, Action read)
    {
        try
        {
            read();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw Unusable(path, what, exception.Message.TrimEnd('.'), exception);
        }
    }

    private static TransferException Unusable(string path, string what, string why, Exception? inner = null) => new(
        TransferError.InvalidRequest,
        $"'{path}' cannot be used for {what}: {why}. Name a PEM file; the key must have no password.",
        innerException: inner);
}

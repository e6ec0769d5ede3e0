using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer;

/// <summary>How a client checks its server's certificate, and shows its own.</summary>
internal static class ClientTls
{
    /// <summary>Reads the certificates that the options name.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.InvalidRequest"/>: a file cannot be read, or is not what it should be.</exception>
    public static SslClientAuthenticationOptions Read(TransferClientOptions options)
    {
        var tls = new SslClientAuthenticationOptions();
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

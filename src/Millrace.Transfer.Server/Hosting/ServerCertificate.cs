using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Millrace.Transfer.Server;

internal static class ServerCertificate
{
    public static HttpsConnectionAdapterOptions? Load(TransferHostOptions options)
    {
        if (options.CertificatePath is not { } path)
        {
            return options.KeyPath is null
                ? null
                : throw Errors.Invalid("--key is the key of a certificate. Name that with --cert.");
        }

        try
        {
            var chain = new X509Certificate2Collection();
            chain.ImportFromPemFile(path);
            return new HttpsConnectionAdapterOptions
            {
                ServerCertificate = X509Certificate2.CreateFromPemFile(path, options.KeyPath ?? path),
                ServerCertificateChain = chain,
            };
        }
        catch (Exception exception)
            when (exception is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw new TransferException(
                TransferError.InvalidRequest,
                $"No certificate with its key could be read from '{path}'{(options.KeyPath is { } key ? $" and '{key}'" : "")}: {exception.Message} Both have to be PEM files; the key must not need a password.",
                innerException: exception);
        }
    }
}

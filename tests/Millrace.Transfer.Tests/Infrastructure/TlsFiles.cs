using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A certificate for 127.0.0.1 that no authority signed, and clients that take it.</summary>
internal static class TlsFiles
{
    /// <summary>Writes certificate and key into one file.</summary>
    public static string Write(TemporaryFolder folder)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        using X509Certificate2 certificate = request.CreateSelfSigned(
            DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        string path = folder["certificate.pem"];
        File.WriteAllText(path, $"{certificate.ExportCertificatePem()}\n{key.ExportPkcs8PrivateKeyPem()}\n");
        return path;
    }

    public static TransferClient Connect(Uri files, TransferClientOptions options)
    {
        SocketsHttpHandler handler = TransferConnections.Create(options);
#pragma warning disable CA5359 // The certificate is the test's own, and nothing leaves the machine.
        handler.SslOptions.RemoteCertificateValidationCallback = static (_, _, _, _) => true;
#pragma warning restore CA5359
        return new TransferClient(files, handler, disposeHandler: true, options);
    }
}

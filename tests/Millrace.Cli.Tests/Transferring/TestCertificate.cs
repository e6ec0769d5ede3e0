using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>A certificate for 127.0.0.1 that no authority signed.</summary>
internal static class TestCertificate
{
    /// <summary>Writes cert.pem, key.pem, and both.pem with one after the other.</summary>
    /// <param name="folder">The folder of the files.</param>
    /// <param name="fromDays">From when on the certificate is valid, in days from now.</param>
    /// <param name="toDays">Until when it is valid, in days from now.</param>
    public static void Write(string folder, int fromDays = -1, int toDays = 1)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        using X509Certificate2 certificate = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(fromDays), DateTimeOffset.UtcNow.AddDays(toDays));
        string pem = certificate.ExportCertificatePem() + "\n";
        string secret = key.ExportPkcs8PrivateKeyPem() + "\n";
        File.WriteAllText(Path.Combine(folder, "cert.pem"), pem);
        File.WriteAllText(Path.Combine(folder, "key.pem"), secret);
        File.WriteAllText(Path.Combine(folder, "both.pem"), pem + secret);
    }
}

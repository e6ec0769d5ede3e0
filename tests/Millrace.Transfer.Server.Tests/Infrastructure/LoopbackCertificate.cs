using System.Security.Cryptography.X509Certificates;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A certificate for 127.0.0.1 that only these tests trust.</summary>
internal static class LoopbackCertificate
{
    public static X509Certificate2 Instance { get; } = Make();

    /// <summary>Trusts it and nothing else.</summary>
    public static X509ChainPolicy Policy() => new()
    {
        TrustMode = X509ChainTrustMode.CustomRootTrust,
        RevocationMode = X509RevocationMode.NoCheck,
        CustomTrustStore = { Instance },
    };

    /// <summary>Writes it and its key as PEM.</summary>
    public static void Write(string certificate, string key)
    {
        File.WriteAllText(certificate, Instance.ExportCertificatePem());
        using ECDsa secret = Instance.GetECDsaPrivateKey()!;
        File.WriteAllText(key, secret.ExportPkcs8PrivateKeyPem());
    }

    private static X509Certificate2 Make()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=127.0.0.1", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        request.CertificateExtensions.Add(names.Build());
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
    }
}

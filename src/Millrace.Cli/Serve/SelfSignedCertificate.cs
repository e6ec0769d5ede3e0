using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using Millrace.Transfer;

namespace Millrace.Cli;

/// <summary>A certificate that vouches for itself, for all names and addresses of this machine; kept until it is about to expire or an address is new.</summary>
/// <param name="CertificatePath">A PEM file, which clients can take as an authority.</param>
/// <param name="KeyPath">A PEM file that only its owner may read.</param>
/// <param name="Fingerprint">The SHA-256 of the certificate, as browsers show it.</param>
internal sealed record SelfSignedCertificate(string CertificatePath, string KeyPath, string Fingerprint)
{
    private const UnixFileMode OnlyOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    // Apple's systems accept no certificate of a server that is valid for longer than 825 days, and other browsers may follow with 398.
    private static readonly TimeSpan Lifetime = TimeSpan.FromDays(397);
    private static readonly TimeSpan Renewal = TimeSpan.FromDays(30);

    /// <exception cref="TransferException">The folder cannot be written, or its files cannot be read.</exception>
    public static SelfSignedCertificate FindOrCreate(string folder, IReadOnlyList<string> names, DateTimeOffset now)
    {
        string certificatePath = Path.Combine(folder, "self-signed.pem");
        string keyPath = Path.Combine(folder, "self-signed.key");
        HashSet<string> wanted = NamesOf(names);
        try
        {
            // A new certificate keeps the key: who has remembered that sees the same server.
            using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
            if (File.Exists(keyPath))
            {
                key.ImportFromPem(File.ReadAllText(keyPath));
            }

            if (File.Exists(certificatePath) && File.Exists(keyPath))
            {
                using var found = X509Certificate2.CreateFromPem(File.ReadAllText(certificatePath));
                if (found.NotAfter.ToUniversalTime() - now.UtcDateTime > Renewal && wanted.IsSubsetOf(NamesIn(found)) && HasKey(found, key))
                {
                    return new SelfSignedCertificate(certificatePath, keyPath, FingerprintOf(found));
                }
            }

            using X509Certificate2 made = Create(key, wanted, now);
            CreateFolder(folder);
            Write(keyPath, key.ExportPkcs8PrivateKeyPem() + "\n", OnlyOwner);
            Write(certificatePath, made.ExportCertificatePem() + "\n", OnlyOwner | UnixFileMode.GroupRead | UnixFileMode.OtherRead);
            return new SelfSignedCertificate(certificatePath, keyPath, FingerprintOf(made));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or CryptographicException or ArgumentException)
        {
            throw new TransferException(
                TransferError.Failed,
                $"--self-signed: the certificate in '{folder}' cannot be used or made: {exception.Message.TrimEnd('.')}. Delete self-signed.key and self-signed.pem there to make another.",
                innerException: exception);
        }
    }

    private static X509Certificate2 Create(ECDsa key, HashSet<string> names, DateTimeOffset now)
    {
        var alternatives = new SubjectAlternativeNameBuilder();
        foreach (string name in names)
        {
            if (IPAddress.TryParse(name, out IPAddress? address))
            {
                alternatives.AddIpAddress(address);
            }
            else
            {
                alternatives.AddDnsName(name);
            }
        }

        var request = new CertificateRequest($"CN={Environment.MachineName}, O=Millrace", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(certificateAuthority: false, hasPathLengthConstraint: false, pathLengthConstraint: 0, critical: true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(X509KeyUsageFlags.DigitalSignature, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1")], critical: false));
        request.CertificateExtensions.Add(alternatives.Build());

        // Clocks differ.
        return request.CreateSelfSigned(now.AddDays(-1), now + Lifetime);
    }

    private static HashSet<string> NamesOf(IReadOnlyList<string> names)
    {
        string machine = Environment.MachineName;
        return new HashSet<string>(StringComparer.OrdinalIgnoreCase)
        {
            "localhost", machine, $"{machine.Split('.')[0]}.local", "127.0.0.1", "::1",
        }.Union(names).Union(LanAddresses.Find(withIPv6: true).Select(static address => $"{address}")).ToHashSet(StringComparer.OrdinalIgnoreCase);
    }

    private static HashSet<string> NamesIn(X509Certificate2 certificate) =>
        certificate.Extensions.OfType<X509SubjectAlternativeNameExtension>()
            .SelectMany(static names => names.EnumerateDnsNames().Concat(names.EnumerateIPAddresses().Select(static address => $"{address}")))
            .ToHashSet(StringComparer.OrdinalIgnoreCase);

    private static bool HasKey(X509Certificate2 certificate, ECDsa key)
    {
        using ECDsa? its = certificate.GetECDsaPublicKey();
        return its is not null && its.ExportSubjectPublicKeyInfo().AsSpan().SequenceEqual(key.ExportSubjectPublicKeyInfo());
    }

    private static string FingerprintOf(X509Certificate2 certificate) =>
        string.Join(':', certificate.GetCertHash(HashAlgorithmName.SHA256).Select(static one => $"{one:X2}"));

    private static void CreateFolder(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(folder);
        }
        else
        {
            Directory.CreateDirectory(folder, OnlyOwner | UnixFileMode.UserExecute);
        }
    }

    /// <summary>Whole or not at all, and never readable by others for a moment.</summary>
    private static void Write(string path, string text, UnixFileMode mode)
    {
        string next = path + ".new";
        File.Delete(next);
        var options = new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write };
        if (!OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = mode;
        }

        using (var file = new FileStream(next, options))
        {
            file.Write(Encoding.ASCII.GetBytes(text));
            file.Flush(flushToDisk: true);
        }

        File.Move(next, path, overwrite: true);
    }
}

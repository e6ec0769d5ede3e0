using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Millrace.Cli.Tests.Serving;

/// <summary>A certificate that is renewed while `millrace serve` runs.</summary>
[Trait("Tier", "All")]
public sealed class CertificateTests : CommandTests
{
    public CertificateTests() => IsHosted = false;

    [NeedsTheory(Need.Linux)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Renewed_certificate_is_used_from_the_next_connection_on(bool linked)
    {
        WriteCertificate("a/cert.pem", "a/key.pem", "first");
        WriteCertificate("b/cert.pem", "b/key.pem", "second");
        string current = "a";
        if (linked)
        {
            // As Kubernetes and certbot do it: only the link to a folder changes.
            File.CreateSymbolicLink(Folder["current"], "a");
            current = "current";
        }

        using ServedCommand serve = await ServedCommand.StartAsync(this, "--cert", current + "/cert.pem", "--key", current + "/key.pem");
        Assert.Equal("CN=first", await SubjectAsync(serve));
        using SslStream kept = await ConnectAsync(serve);
        if (linked)
        {
            File.CreateSymbolicLink(Folder["next"], "b");
            Shell.Run("mv", "-T", Folder["next"], Folder["current"]);
        }
        else
        {
            // Two files are never replaced at once: in between, the pair does not fit.
            File.Move(Folder["b/cert.pem"], Folder["a/cert.pem"], overwrite: true);
            Assert.Equal("CN=first", await SubjectAsync(serve));
            File.Move(Folder["b/key.pem"], Folder["a/key.pem"], overwrite: true);
        }

        Assert.Equal("CN=second", await SubjectAsync(serve));
        await ThrowIfUnusableAsync(kept);
    }

    [Theory]
    [InlineData("GET / HTTP/1.1\r\nHost: a\r\n\r\n", true)]
    [InlineData("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", true)]
    [InlineData("\u0016\u0003", false)]
    [InlineData("get", false)]
    public async Task Request_without_tls_is_told_to_use_it(string sent, bool isTold)
    {
        WriteCertificate("cert.pem", "key.pem", "first");
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--cert", "cert.pem", "--key", "key.pem");
        using var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, serve.Port);
        using var reader = new StreamReader(client.GetStream());
        await client.Client.SendAsync(System.Text.Encoding.ASCII.GetBytes(sent));
        client.Client.Shutdown(SocketShutdown.Send);
        string answer = "";
        try
        {
            answer = await reader.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(2));
        }
        catch (IOException)
        {
            Assert.False(isTold);
        }

        Assert.Equal(isTold, answer.StartsWith("HTTP/1.1 400", StringComparison.Ordinal));
        Assert.Equal(isTold, answer.Contains("https://", StringComparison.Ordinal));
        Assert.Equal("CN=first", await SubjectAsync(serve));
    }

    [NeedsTheory(Need.Unix)]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("-----BEGIN CERTIFICATE-----\nAAAA")]
    public async Task Certificate_that_becomes_unreadable_is_reported_once_and_the_last_one_is_kept(string? content)
    {
        WriteCertificate("cert.pem", "key.pem", "first");
        using ServedCommand serve = await ServedCommand.StartAsync(this, "--cert", "cert.pem", "--key", "key.pem");
        if (content is null)
        {
            File.Delete(Folder["cert.pem"]);
        }
        else
        {
            await File.WriteAllTextAsync(Folder["cert.pem"], content);
        }

        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("CN=first", await SubjectAsync(serve));
        }

        WriteCertificate("cert.pem", "key.pem", "second");
        Assert.Equal("CN=second", await SubjectAsync(serve));
        serve.Signal(Command.Terminate);
        (_, string error) = await serve.EndAsync();
        Assert.Single(error.Split('\n'), line => line.Contains("cannot be used", StringComparison.Ordinal));
        Assert.Single(error.Split('\n'), line => line.Contains("was renewed", StringComparison.Ordinal));
    }

    private void WriteCertificate(string certificate, string key, string name)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Folder[certificate])!);
        using var pair = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=" + name, pair, HashAlgorithmName.SHA256);
        using X509Certificate2 made = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(1));
        File.WriteAllText(Folder[certificate], made.ExportCertificatePem());
        File.WriteAllText(Folder[key], pair.ExportPkcs8PrivateKeyPem());
    }

    private static async Task<string> SubjectAsync(ServedCommand serve)
    {
        using SslStream stream = await ConnectAsync(serve);
        return stream.RemoteCertificate!.Subject;
    }

    /// <summary>Trusts every certificate of the tests, which check its name.</summary>
    private static async Task<SslStream> ConnectAsync(ServedCommand serve)
    {
        var client = new TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, serve.Port);
        var stream = new SslStream(client.GetStream(), leaveInnerStreamOpen: false, (_, shown, _, _) => shown?.Subject is "CN=first" or "CN=second");
        await stream.AuthenticateAsClientAsync("localhost").WaitAsync(TimeSpan.FromMinutes(5));
        return stream;
    }

    private static async Task ThrowIfUnusableAsync(SslStream stream)
    {
        await stream.WriteAsync("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"u8.ToArray());
        using var reader = new StreamReader(stream);
        Assert.StartsWith("HTTP/1.1 200 ", await reader.ReadToEndAsync().WaitAsync(TimeSpan.FromMinutes(5)), StringComparison.Ordinal);
    }
}

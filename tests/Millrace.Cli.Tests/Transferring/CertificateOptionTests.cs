using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;

namespace Millrace.Cli.Tests.Transferring;

/// <summary>Certificates, and proxies of the environment.</summary>
public sealed class CertificateOptionTests : CommandTests
{
    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Unknown_authority_is_refused_with_the_option_that_names_it()
    {
        Write("one", 1000);
        using ServedCommand server = await ServeTlsAsync();

        Assert.Contains("--ca-cert", await FailAsync("put", "one", server.Files), StringComparison.Ordinal);
        await SucceedAsync("put", "one", server.Files, "--ca-cert", Folder["cert.pem"]);

        Assert.True(File.Exists(Folder["served/one"]));
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Turning_the_check_off_warns_each_time_even_if_quiet()
    {
        Write("one", 1000);
        using ServedCommand server = await ServeTlsAsync();

        for (int i = 0; i < 2; i++)
        {
            (int exitCode, string output, string error) = await RunAsync("put", "one", server.Files, "--insecure-tls", "--quiet");
            Assert.Equal((0, ""), (exitCode, output));
            Assert.Contains("warning: with --insecure-tls no certificate is checked", error, StringComparison.Ordinal);
        }
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Health_takes_the_options_about_certificates()
    {
        using ServedCommand server = await ServeTlsAsync();
        string address = $"https://127.0.0.1:{server.Port}";

        string refused = await FailAsync("health", address, "--timeout", "5m");
        Assert.Contains("the server has signed its certificate itself, and that is not trusted here", refused, StringComparison.Ordinal);
        Assert.Contains("--ca-cert", refused, StringComparison.Ordinal);
        Assert.StartsWith("ok", await SucceedAsync("health", address, "--ca-cert", Folder["cert.pem"], "--timeout", "5m"), StringComparison.Ordinal);

        (int exitCode, string output, string error) = await RunAsync("health", address, "--insecure-tls", "--quiet", "--timeout", "5m");
        Assert.Equal((0, ""), (exitCode, output));
        Assert.StartsWith("millrace health: warning: with --insecure-tls no certificate is checked", error, StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Wine, "makes no keys and certificates")]
    [InlineData("localhost", -1, 1, "the server's certificate is for 127.0.0.1, and not for localhost")]
    [InlineData("127.0.0.1", -2, -1, "the server's certificate has expired on 20")]
    [InlineData("127.0.0.1", 1, 2, "the server's certificate is valid from 20")]
    public async Task What_is_wrong_with_a_certificate_is_said(string host, int fromDays, int toDays, string reason)
    {
        Write("one", 10);
        using ServedCommand server = await ServeTlsAsync(fromDays, toDays);
        string address = $"https://{host}:{server.Port}/";

        string error = await FailAsync("health", address, "--ca-cert", Folder["cert.pem"], "--timeout", "5m");
        Assert.Contains(reason, error, StringComparison.Ordinal);
        Assert.DoesNotContain("trusted here", error, StringComparison.Ordinal);
        Assert.Contains(reason, await FailAsync("put", "one", address + "files/", "--ca-cert", Folder["cert.pem"]), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Health_shows_its_certificate_to_a_server_that_asks()
    {
        TestCertificate.Write(Folder.Path);
        using X509Certificate2 certificate = X509Certificate2.CreateFromPemFile(Folder["both.pem"]);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<string?> shown = AnswerAsync(listener, certificate);

        await SucceedAsync(
            "health", $"https://127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}/health", "--ca-cert", Folder["cert.pem"],
            "--client-cert", Folder["cert.pem"], "--client-key", Folder["key.pem"], "--timeout", "5m");

        Assert.Equal("CN=127.0.0.1", await shown);
    }

    [Theory]
    [InlineData("leave one of them out", "--ca-cert", "a", "--insecure-tls")]
    [InlineData("name that with --client-cert", "--client-key", "a")]
    [InlineData("cannot be used for certificates of authorities", "--ca-cert", "missing.pem")]
    [InlineData("cannot be used for the client's certificate", "--client-cert", "missing.pem")]
    public async Task Options_that_cannot_be_used_are_explained(string reason, params string[] options)
    {
        Write("one", 10);

        Assert.Contains(reason, await FailAsync(["put", "one", "https://localhost/files/", .. options]), StringComparison.Ordinal);
        Assert.Contains(reason, await FailAsync(["health", "https://localhost", .. options]), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Wine, "makes no keys and certificates")]
    public async Task Proxy_of_the_environment_is_used_unless_the_host_is_excluded()
    {
        Write("one", 1000);
        using ServedCommand server = await ServeTlsAsync();
        using var proxy = new TcpListener(IPAddress.Loopback, 0);
        proxy.Start();
        string address = $"http://127.0.0.1:{((IPEndPoint)proxy.LocalEndpoint).Port}";
        Task<string> asked = RefuseAsync(proxy);

        (int exitCode, _, string error) = await PutAsync(server, ("HTTPS_PROXY", address));
        Assert.Equal(1, exitCode);
        Assert.StartsWith($"CONNECT 127.0.0.1:{server.Port} ", await asked, StringComparison.Ordinal);
        Assert.Contains("HTTPS_PROXY", error, StringComparison.Ordinal);

        (exitCode, _, error) = await PutAsync(server, ("HTTPS_PROXY", address), ("NO_PROXY", "127.0.0.1"));
        Assert.True(exitCode == 0, error);
    }

    /// <summary>A healthy server that wants a certificate of its client.</summary>
    private static async Task<string?> AnswerAsync(TcpListener listener, X509Certificate2 certificate)
    {
        using TcpClient accepted = await listener.AcceptTcpClientAsync();
        using var tls = new SslStream(accepted.GetStream());
        string? shown = null;
        await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
        {
            ServerCertificate = certificate,
            ClientCertificateRequired = true,
            RemoteCertificateValidationCallback = (_, client, _, _) =>
            {
                shown = client?.Subject;
                return client is not null;
            },
        });
        using var reader = new StreamReader(tls, Encoding.ASCII, leaveOpen: true);
        while (await reader.ReadLineAsync() is { Length: > 0 })
        {
        }

        await tls.WriteAsync("HTTP/1.1 200 OK\r\nContent-Length: 15\r\nConnection: close\r\n\r\n{\"status\":\"ok\"}"u8.ToArray());
        return shown;
    }

    private static async Task<string> RefuseAsync(TcpListener proxy)
    {
        using TcpClient client = await proxy.AcceptTcpClientAsync();
        using var reader = new StreamReader(client.GetStream(), Encoding.ASCII, leaveOpen: true);
        string first = (await reader.ReadLineAsync())!;
        while (await reader.ReadLineAsync() is { Length: > 0 })
        {
        }

        await client.GetStream().WriteAsync("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"u8.ToArray());
        return first;
    }

    private async Task<(int ExitCode, string Output, string Error)> PutAsync(ServedCommand server, params (string Name, string Value)[] variables)
    {
        ProcessStartInfo start = Command.Prepare(Folder.Path, "put", "one", server.Files, "--ca-cert", Folder["cert.pem"], "--attempts", "1");
        start.Environment["XDG_STATE_HOME"] = Folder[".states"];
        foreach (string name in (string[])["https_proxy", "all_proxy", "no_proxy", "ALL_PROXY", "NO_PROXY", "MILLRACE_TOKEN"])
        {
            start.Environment.Remove(name);
        }

        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        using Process process = Process.Start(start)!;
        return await TestProcess.EndAsync(process);
    }

    private Task<ServedCommand> ServeTlsAsync(int fromDays = -1, int toDays = 1)
    {
        TestCertificate.Write(Folder.Path, fromDays, toDays);
        return ServeAsync("served", "--cert", Folder["both.pem"]);
    }
}

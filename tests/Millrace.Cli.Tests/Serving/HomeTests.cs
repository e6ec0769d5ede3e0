using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json;
using ZXing;
using ZXing.Common;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` for people who share a folder at home.</summary>
public sealed class HomeTests : CommandTests
{
    public HomeTests() => Directory.CreateDirectory(Folder["share"]);

    [Theory]
    [InlineData("http://192.168.178.123:8080/files/#pin=012345")]
    [InlineData("http://[fd12:3456:789a::1]:8080/a-long-path/of-a-proxy/files/")]
    public void Qr_code_can_be_read(string text)
    {
        // As on a dark terminal without colours, on which light modules are blocks.
        string[] lines = QrText.Of(text, colours: false).Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(text, Decode([.. lines.SelectMany<string, bool[]>(line =>
        [
            [.. line.Select(c => c is '█' or '▀')], [.. line.Select(c => c is '█' or '▄')],
        ])]));

        // With colours, black on white.
        lines = QrText.Of(text, colours: true).Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries);
        Assert.All(lines, line => Assert.Matches("^\e\\[38;5;16;48;5;231m.*\e\\[0m$", line));
        Assert.Equal(text, Decode([.. lines.Select(line => line["\e[38;5;16;48;5;231m".Length..^"\e[0m".Length]).SelectMany<string, bool[]>(line =>
        [
            [.. line.Select(c => c is ' ' or '▄')], [.. line.Select(c => c is ' ' or '▀')],
        ])]));
    }

    [Fact]
    public async Task Pin_is_printed_and_input_makes_another()
    {
        Process process = Start(["serve", "share", "--port", "0", "--h2-port", "none", "--pin", "--json"], input: true);
        JsonElement ready = JsonDocument.Parse((await process.StandardOutput.ReadLineAsync().WaitAsync(TestProcess.Limit))!).RootElement;
        Assert.True(ready.GetProperty("needsToken").GetBoolean());
        string files = ready.GetProperty("files").GetString()!;
        string pin = ready.GetProperty("pin").GetString()!;

        using var handler = new SocketsHttpHandler();
        using var client = new HttpClient(handler);
        Assert.Equal(HttpStatusCode.Unauthorized, (await client.GetAsync(files)).StatusCode);
        Assert.Equal(HttpStatusCode.NoContent, await SignInAsync(client, files, pin));
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync(files)).StatusCode);
        Assert.Equal(HttpStatusCode.Unauthorized, await SignInAsync(client, files, pin));

        await process.StandardInput.WriteLineAsync();
        await process.StandardInput.FlushAsync();
        string next = JsonDocument.Parse((await process.StandardOutput.ReadLineAsync().WaitAsync(TestProcess.Limit))!).RootElement.GetProperty("pin").GetString()!;
        Assert.Equal(HttpStatusCode.NoContent, await SignInAsync(client, files, next));
        process.StandardInput.Close();
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync(files)).StatusCode);
    }

    [Fact]
    public async Task Text_has_the_addresses_of_this_machine_the_pin_and_the_code()
    {
        Process process = Start(["serve", "share", "--port", "0", "--h2-port", "none", "--host", "0.0.0.0", "--pin", "--qr"], input: true);
        var text = new StringBuilder();
        while (await process.StandardOutput.ReadLineAsync().WaitAsync(TestProcess.Limit) is { } line)
        {
            text.AppendLine(line);
            if (line.StartsWith("PIN: ", StringComparison.Ordinal))
            {
                break;
            }
        }

        string all = text.ToString();
        Assert.Matches("(?m)^PIN: \\d{3} \\d{3}, for one browser, within ten minutes\\. Enter prints another one\\.", all);
        Assert.Contains("█▀▀▀▀▀█".Replace('█', ' ').Replace('▀', '▄'), all, StringComparison.Ordinal);
        foreach (IPAddress address in LanAddresses.Find(withIPv6: false))
        {
            Assert.Matches($"(?m)^  http://{address}:\\d+/files/", all);
        }
    }

    [Theory]
    [InlineData("198.17.255.255", true)]
    [InlineData("198.18.0.1", false)]
    [InlineData("198.19.255.254", false)]
    [InlineData("198.20.0.1", true)]
    [InlineData("fd12:3456:789a::1", true)]
    public void Networks_for_tests_are_left_out(string address, bool isListed) => Assert.Equal(isListed, LanAddresses.IsOfLan(IPAddress.Parse(address)));

    [Fact]
    public async Task Self_signed_certificate_is_kept_and_has_the_printed_fingerprint()
    {
        string first;
        using (ServedCommand server = await ServeAsync("share", "--self-signed", "--host-name", "files.example.org"))
        {
            first = server.Ready.GetProperty("fingerprint").GetString()!;
            X509Certificate2 shown = await CertificateOfAsync(server.Port);
            Assert.Equal(first, string.Join(':', shown.GetCertHash(HashAlgorithmName.SHA256).Select(one => $"{one:X2}")));
            Assert.True(shown.MatchesHostname("localhost") && shown.MatchesHostname("127.0.0.1") && shown.MatchesHostname("files.example.org"));
            Assert.All(LanAddresses.Find(withIPv6: true), address => Assert.True(shown.MatchesHostname($"{address}")));
            Assert.InRange(shown.NotAfter.ToUniversalTime(), DateTime.UtcNow.AddDays(390), DateTime.UtcNow.AddDays(398));
            if (!OperatingSystem.IsWindows())
            {
                Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(Folder["share/.millrace/self-signed.key"]));
            }

            // Other commands verify it.
            await SucceedAsync("ls", server.Files, "--ca-cert", Folder["share/.millrace/self-signed.pem"]);
            Assert.Contains("TLS", await FailAsync("ls", server.Files, "--attempts", "1"), StringComparison.Ordinal);
        }

        Assert.Equal(first, Make("files.example.org").Fingerprint);
        SelfSignedCertificate other = Make("files.example.org", "new.example.org");
        Assert.NotEqual(first, other.Fingerprint);
        Assert.Equal(other.Fingerprint, Make("new.example.org").Fingerprint);
        Assert.NotEqual(other.Fingerprint, SelfSignedCertificate.FindOrCreate(Folder["share/.millrace"], [], DateTimeOffset.UtcNow.AddDays(380)).Fingerprint);

        SelfSignedCertificate Make(params string[] names) => SelfSignedCertificate.FindOrCreate(Folder["share/.millrace"], names, DateTimeOffset.UtcNow);
    }

    [Fact]
    public async Task Damaged_or_second_certificates_are_reported()
    {
        Directory.CreateDirectory(Folder["share/.millrace"]);
        await File.WriteAllTextAsync(Folder["share/.millrace/self-signed.key"], "no key");

        Assert.Contains("Delete self-signed.key", await FailAsync("serve", "share", "--self-signed"), StringComparison.Ordinal);
        Assert.Contains("leave one of them out", await FailAsync("serve", "share", "--self-signed", "--cert", "x"), StringComparison.Ordinal);
        Assert.Contains("--cert", await FailAsync("serve", "s3://bucket", "--self-signed"), StringComparison.Ordinal);
    }

    private static async Task<HttpStatusCode> SignInAsync(HttpClient client, string files, string pin)
    {
        using var content = new StringContent($$"""{"token":"{{pin}}"}""", Encoding.UTF8, "application/json");
        using HttpResponseMessage response = await client.PostAsync(new Uri(new Uri(files), "/session"), content);
        return response.StatusCode;
    }

    private static async Task<X509Certificate2> CertificateOfAsync(int port)
    {
        using var client = new System.Net.Sockets.TcpClient();
        await client.ConnectAsync(IPAddress.Loopback, port);
        X509Certificate2? shown = null;
        await using var tls = new SslStream(client.GetStream());
        await tls.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "localhost",
            RemoteCertificateValidationCallback = (_, certificate, _, _) => (shown = new X509Certificate2(certificate!)) is not null,
        });
        return shown!;
    }

    /// <summary>Reads a code of light modules, enlarged and with a margin, as a camera sees it.</summary>
    private static string? Decode(bool[][] light)
    {
        const int Scale = 4;
        const int Margin = 4;
        int width = (light[0].Length + (2 * Margin)) * Scale;
        int height = (light.Length + (2 * Margin)) * Scale;
        byte[] grey = new byte[width * height];
        for (int i = 0; i < grey.Length; i++)
        {
            int row = (i / width / Scale) - Margin;
            int column = (i % width / Scale) - Margin;
            bool isLight = row < 0 || row >= light.Length || column < 0 || column >= light[0].Length || light[row][column];
            grey[i] = isLight ? byte.MaxValue : byte.MinValue;
        }

        var image = new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(grey, width, height, RGBLuminanceSource.BitmapFormat.Gray8)));
        return new ZXing.QrCode.QRCodeReader().decode(image)?.Text;
    }
}

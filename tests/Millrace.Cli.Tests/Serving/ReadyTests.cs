using System.Diagnostics;
using System.Net.Sockets;
using System.Text;
using Millrace.Cli.Tests.Transferring;

namespace Millrace.Cli.Tests.Serving;

/// <summary>How other programs of the machine learn that a server is ready, and where.</summary>
public sealed class ReadyTests : CommandTests
{
    public ReadyTests() => IsHosted = false;

    [Fact]
    public async Task Health_of_a_folder_follows_port_path_and_certificate()
    {
        TestCertificate.Write(Folder.Path);
        using (ServedCommand server = await ServeAsync("served", "--cert", "cert.pem", "--key", "key.pem", "--path-base", "/share", "--host", "localhost"))
        {
            Assert.StartsWith("ok", await SucceedAsync("health", "--folder", "served", "--timeout", "5m"), StringComparison.Ordinal);

            // The address alone does not suffice: no client trusts the certificate.
            Assert.Contains("TLS", await FailAsync("health", $"https://127.0.0.1:{server.Port}/share/health", "--timeout", "5m"), StringComparison.Ordinal);
            server.Signal(Command.Terminate);
            await server.EndAsync();
        }

        Assert.False(File.Exists(Folder["served/.millrace/ready.json"]));
        Assert.Contains("leave out the URL", await FailAsync("health", "http://127.0.0.1:1", "--folder", "served"), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Health_of_a_folder_goes_through_its_socket()
    {
        Directory.CreateDirectory(Folder["served"]);
        string socket = $"/tmp/millrace-{Guid.NewGuid():N}.sock";
        Process process = Start(["serve", "served", "--json", "--socket", socket]);
        Assert.NotNull(await process.StandardOutput.ReadLineAsync().WaitAsync(TestProcess.Limit));

        Assert.StartsWith("ok", await SucceedAsync("health", "--folder", "served", "--timeout", "5m"), StringComparison.Ordinal);
        process.Kill();
        await process.WaitForExitAsync();
        File.Delete(socket);
        Assert.Contains("Cannot reach", await FailAsync("health", "--folder", "served", "--timeout", "5m"), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Linux)]
    public async Task Systemd_is_told_when_the_server_is_ready_and_when_it_stops()
    {
        Directory.CreateDirectory(Folder["served"]);
        string name = $"millrace-{Guid.NewGuid():N}";
        using var manager = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        manager.Bind(new UnixDomainSocketEndPoint("\0" + name));
        Process process = Start(["serve", "served", "--json", "--port", "0", "--h2-port", "none"], variables: [("NOTIFY_SOCKET", "@" + name)]);

        Assert.Equal("READY=1", await ReceiveAsync());
        Command.Signal(process, Command.Terminate);
        Assert.Equal("STOPPING=1", await ReceiveAsync());

        async Task<string> ReceiveAsync()
        {
            byte[] text = new byte[100];
            using var limit = new CancellationTokenSource(TestProcess.Limit);
            return Encoding.ASCII.GetString(text, 0, await manager.ReceiveAsync(text, limit.Token));
        }
    }
}

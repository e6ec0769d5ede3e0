using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text.Json;

namespace Millrace.Cli.Tests.Serving;

/// <summary>`millrace serve` on a Unix socket.</summary>
public sealed class SocketCommandTests : CommandTests
{
    public SocketCommandTests() => IsHosted = false;

    [NeedsFact(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public async Task Socket_is_served_stays_after_SIGKILL_and_is_replaced()
    {
        Write("served/one", 100);
        for (int i = 0; i < 2; i++)
        {
            Process server = Start(["serve", "served", "--socket", "s,0660", "--json"]);
            JsonElement ready = JsonDocument.Parse((await server.StandardOutput.ReadLineAsync().WaitAsync(Bounded.Patience))!).RootElement;
            Assert.Equal(Folder["s"], ready.GetProperty("socket").GetString());
            Assert.Equal((UnixFileMode)0x1B0, File.GetUnixFileMode(Folder["s"]) & (UnixFileMode)0x1FF); // 0660
            Assert.Equal(100, (await GetAsync("files/one")).Length);
            server.Kill();
            await TestProcess.WaitAsync(server);
            Assert.True(File.Exists(Folder["s"]));
        }
    }

    [NeedsTheory(Need.Linux | Need.Bash)]
    [InlineData("LISTEN_PID= LISTEN_FDS=", "has passed no socket to this process (LISTEN_PID, LISTEN_FDS)")]
    [InlineData("LISTEN_PID=1 LISTEN_FDS=1", "has passed no socket to this process")]
    [InlineData("LISTEN_PID=$$ LISTEN_FDS=0", "has passed no socket to this process")]
    [InlineData("LISTEN_PID=$$ LISTEN_FDS=2", "has passed 2 sockets")]
    [InlineData("LISTEN_PID=$$ LISTEN_FDS=-1", "has passed -1 sockets")]
    [InlineData("LISTEN_PID=$$ LISTEN_FDS=1", "does not listen")]
    [InlineData("LISTEN_PID=$$ LISTEN_FDS=1; exec 3</dev/null", "does not listen")]
    public async Task What_is_no_socket_of_systemd_is_refused_with_the_reason(string passed, string reason)
    {
        Directory.CreateDirectory(Folder["served"]);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        ProcessStartInfo start = Command.Prepare(Folder.Path, "serve", "served", "--socket", "systemd");
        string[] words = ["-c", $"exec 3<>/dev/tcp/127.0.0.1/{((IPEndPoint)listener.LocalEndpoint).Port}; export {passed}; exec \"$@\"", "-", start.FileName, .. start.ArgumentList];
        start.FileName = "bash";
        start.ArgumentList.Clear();
        foreach (string word in words)
        {
            start.ArgumentList.Add(word);
        }

        using Process process = Process.Start(start)!;
        (int exitCode, _, string error) = await TestProcess.EndAsync(process);

        Assert.Equal(1, exitCode);
        Assert.StartsWith("millrace serve: --socket systemd: ", error, StringComparison.Ordinal);
        Assert.Contains(reason, error, StringComparison.Ordinal);
    }

    [NeedsFact(Need.Debian)]
    public async Task Socket_of_systemd_is_served()
    {
        Write("served/one", 100);
        ProcessStartInfo start = Command.Prepare(Folder.Path, "serve", "served", "--socket", "systemd", "--quiet");
        string[] command = ["--listen", Folder["s"], "-E", "PATH", "-E", "HOME", "-E", "DOTNET_ROOT", start.FileName, .. start.ArgumentList];
        start.FileName = "systemd-socket-activate";
        start.ArgumentList.Clear();
        foreach (string argument in command)
        {
            start.ArgumentList.Add(argument);
        }

        // It becomes the server with the first connection.
        using Process server = Process.Start(start)!;
        try
        {
            byte[]? got = null;
            await Bounded.UntilAsync(async () =>
            {
                Assert.False(server.HasExited);
                try
                {
                    got = await GetAsync("files/one");
                }
                catch (HttpRequestException)
                {
                    // It does not listen yet.
                }

                return got is not null;
            });
            Assert.Equal(100, got!.Length);
        }
        finally
        {
            server.Kill();
            await TestProcess.WaitAsync(server);
        }
    }

    private async Task<byte[]> GetAsync(string path)
    {
        using HttpClient client = UnixClient.Create(Folder["s"]);
        return await client.GetByteArrayAsync("http://localhost/" + path);
    }
}

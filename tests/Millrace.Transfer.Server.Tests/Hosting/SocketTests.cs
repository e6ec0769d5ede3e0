using System.Net.Sockets;
using System.Runtime.Versioning;

namespace Millrace.Transfer.Server.Tests.Hosting;

/// <summary>A server on a Unix socket.</summary>
public sealed class SocketTests : IDisposable
{
    private const UnixFileMode OnlyOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite;

    private readonly string _folder = Directory.CreateTempSubdirectory("millrace-socket-").FullName;

    private string At => Path.Combine(_folder, "s");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [NeedsTheory(Need.Unix), EveryValue]
    [UnsupportedOSPlatform("windows")]
    public async Task Files_are_served_on_a_socket_without_a_token(ServerTransport transport)
    {
        await using (ServedFolder served = await StartAsync(options => options.Transport = transport))
        {
            Assert.Equal(At, served.Server.SocketPath);
            Assert.Equal(OnlyOwner, File.GetUnixFileMode(At) & (UnixFileMode)0x1FF);
            using HttpClient client = UnixClient.Create(At);
            using HttpResponseMessage put = await client.PutAsync("http://localhost/files/one", new StringContent("one"));
            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
            Assert.Equal("one", await client.GetStringAsync("http://localhost/files/one"));
        }

        Assert.False(Path.Exists(At));
    }

    [NeedsFact(Need.Unix)]
    [UnsupportedOSPlatform("windows")]
    public async Task Mode_does_not_depend_on_the_umask()
    {
        const UnixFileMode all = (UnixFileMode)0x1B6; // 0666
        await using ServedFolder served = await StartAsync(static options => options.SocketMode = all);

        Assert.Equal(all, File.GetUnixFileMode(At));
    }

    [NeedsFact(Need.Unix)]
    public async Task Socket_that_nobody_answers_is_replaced()
    {
        using (var killed = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            killed.Bind(new UnixDomainSocketEndPoint(Path.Combine(_folder, "t")));
            File.Move(Path.Combine(_folder, "t"), At);
        }

        await using ServedFolder served = await StartAsync();

        using HttpClient client = UnixClient.Create(At);
        Assert.Contains("ok", await client.GetStringAsync("http://localhost/health"), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Unix)]
    public async Task Second_server_does_not_take_the_socket_of_the_first()
    {
        await using ServedFolder served = await StartAsync();

        Assert.Contains("Another server answers", await RefusedAsync(), StringComparison.Ordinal);

        using HttpClient client = UnixClient.Create(At);
        Assert.Contains("ok", await client.GetStringAsync("http://localhost/health"), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Native)]
    public async Task One_of_many_servers_that_start_at_once_gets_an_old_socket()
    {
        using (var killed = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified))
        {
            killed.Bind(new UnixDomainSocketEndPoint(Path.Combine(_folder, "t")));
            File.Move(Path.Combine(_folder, "t"), At);
        }

        Socket?[] all = await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(() =>
        {
            try
            {
                return UnixListenSocket.Bind(At, OnlyOwner, new TransferHostOptions());
            }
            catch (TransferException)
            {
                return null;
            }
        })));

        using Socket one = Assert.Single(all.OfType<Socket>());
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        client.Connect(new UnixDomainSocketEndPoint(At));
        using Socket accepted = one.Accept();
    }

    [NeedsFact(Need.Unix)]
    public async Task What_is_no_socket_stays_and_is_named()
    {
        await File.WriteAllTextAsync(At, "mine");
        Assert.Contains("exists and is not a socket", await RefusedAsync(), StringComparison.Ordinal);
        Assert.Equal("mine", await File.ReadAllTextAsync(At));

        File.Delete(At);
        Directory.CreateDirectory(At);
        Assert.Contains("is a folder", await RefusedAsync(), StringComparison.Ordinal);
    }

    [NeedsFact(Need.Links)]
    public async Task Symbolic_link_is_not_followed()
    {
        File.CreateSymbolicLink(At, Path.Combine(_folder, "elsewhere"));

        Assert.Contains("is a symbolic link", await RefusedAsync(), StringComparison.Ordinal);
        Assert.False(Path.Exists(Path.Combine(_folder, "elsewhere")));
    }

    [NeedsFact(Need.Unix)]
    public async Task Path_of_more_bytes_than_a_socket_has_is_refused_with_their_number()
    {
        string longest = Path.Combine(_folder, new string('s', 107 - _folder.Length - 1));
        await using (await StartAsync(options => options.SocketPath = longest))
        {
            Assert.True(Path.Exists(longest));
        }

        Assert.Contains("has 108 bytes", await RefusedAsync(longest + "s"), StringComparison.Ordinal);
        Assert.Contains("mkdir -p", await RefusedAsync(Path.Combine(_folder, "none", "s")), StringComparison.Ordinal);
    }

    [NeedsTheory(Need.Unix), EveryValue]
    public async Task Server_serves_a_socket_that_listens_already(ServerTransport transport)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        await using ServedFolder served = await ServedFolder.StartAsync(options =>
        {
            options.Transport = transport;
            options.ListenSocket = socket;
        });

        Assert.Contains("ok", await served.Client.GetStringAsync("/health"), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Given_socket_that_other_machines_reach_needs_a_token()
    {
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Any, 0));
        socket.Listen();

        TransferException exception = await Assert.ThrowsAsync<TransferException>(
            () => ServedFolder.StartAsync(options => options.ListenSocket = socket));

        Assert.Equal(TransferError.Unauthorized, exception.Error);
    }

    [NeedsFact(Need.Unix)]
    public async Task Fields_of_a_socket_are_believed_only_if_it_is_trusted()
    {
        foreach (bool trusted in (bool[])[false, true])
        {
            await using ServedFolder served = await StartAsync(options =>
            {
                options.TrustSocket = trusted;
                options.TrustedProxies = [System.Net.IPNetwork.Parse("192.0.2.0/24")];
            });
            using HttpClient client = UnixClient.Create(At);
            client.DefaultRequestHeaders.Add("X-Forwarded-Prefix", "/share");

            Assert.Equal(trusted, (await client.GetStringAsync("http://localhost/.well-known/millrace")).Contains("\"/share/files\"", StringComparison.Ordinal));
        }
    }

    private Task<ServedFolder> StartAsync(Action<TransferHostOptions>? configure = null) => ServedFolder.StartAsync(options =>
    {
        options.SocketPath = At;
        configure?.Invoke(options);
    });

    private async Task<string> RefusedAsync(string? path = null) => (await Assert.ThrowsAsync<TransferException>(
        () => StartAsync(options => options.SocketPath = path ?? At))).Message;
}

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>The server of the command, <see cref="TransferServer"/>, on a new folder and a free port.</summary>
internal sealed class ServedFolder : IAsyncDisposable
{
    private ServedFolder(string folder, TransferServer server)
    {
        Folder = folder;
        Server = server;
        Client = new HttpClient { BaseAddress = server.Address, Timeout = TimeSpan.FromMinutes(2) };
    }

    public string Folder { get; }

    public TransferServer Server { get; }

    public HttpClient Client { get; }

    public static async Task<ServedFolder> StartAsync(Action<TransferHostOptions>? configure = null)
    {
        string folder = Directory.CreateTempSubdirectory("millrace-served-").FullName;
        var options = new TransferHostOptions
        {
            Folder = folder,
            Port = 0,
            OfferHttp2Port = false,
            Transport = Enum.Parse<ServerTransport>(TestedTransport.Name),
        };
        configure?.Invoke(options);
        return new ServedFolder(folder, await TransferServer.StartAsync(options));
    }

    /// <summary>Begins to upload the file <c>one</c>, of which <c>ne</c> is still to be sent.</summary>
    public async Task<RawConnection> HalfUploadAsync()
    {
        RawConnection connection = await RawConnection.OpenAsync(
            Server.Address, "PUT /files/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\ndo");
        await Bounded.UntilAsync(() => Server.Running == 1);
        return connection;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        using (var cut = new CancellationTokenSource())
        {
            await cut.CancelAsync();
            await Server.StopAsync(cut.Token);
        }

        await Server.DisposeAsync();
        Directory.Delete(Folder, recursive: true);
    }
}

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>The server of the command, <see cref="TransferServer"/>, on a new folder or bucket and a free port.</summary>
internal sealed class ServedFolder : IAsyncDisposable
{
    private readonly TestedStore _files;

    private ServedFolder(TestedStore files, TransferServer server)
    {
        _files = files;
        Server = server;
        Client = new HttpClient { BaseAddress = server.Address, Timeout = TimeSpan.FromMinutes(5) };
    }

    public string Folder => _files.Root;

    public TransferServer Server { get; }

    public HttpClient Client { get; }

    public static async Task<ServedFolder> StartAsync(Action<TransferHostOptions>? configure = null)
    {
        TestedStore files = await TestedStore.CreateAsync();
        var options = new TransferHostOptions
        {
            Folder = files.Root,
            Port = 0,
            OfferHttp2Port = false,
            Transport = Enum.Parse<ServerTransport>(TestedTransport.Name),
        };
        configure?.Invoke(options);
        options.FileStore = TestedStore.IsBucket ? files.Open(options.Store) : null;
        return new ServedFolder(files, await TransferServer.StartAsync(options));
    }

    /// <inheritdoc cref="TestedStore.PathOf"/>
    public string PathOf(string name) => _files.PathOf(name);

    /// <inheritdoc cref="TestedStore.WriteAsync"/>
    public Task<string> WriteAsync(string name, ReadOnlyMemory<byte> content) => _files.WriteAsync(name, content);

    /// <inheritdoc cref="TestedStore.Leftovers"/>
    public IReadOnlyList<string> Leftovers() => _files.Leftovers();

    /// <summary>Begins to upload the file <c>one</c>, of which <c>ne</c> is still to be sent.</summary>
    public async Task<RawConnection> HalfUploadAsync()
    {
        RawConnection connection = await RawConnection.OpenAsync(
            Server.Address, "PUT /files/one HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\ndo");
        await Bounded.UntilAsync(() => Server.ActiveTransfers == 1);
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
        await _files.DisposeAsync();
    }
}

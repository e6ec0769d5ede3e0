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
        var options = new TransferHostOptions { Folder = folder, Port = 0, OfferHttp2Port = false };
        configure?.Invoke(options);
        return new ServedFolder(folder, await TransferServer.StartAsync(options));
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

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>A test with its own server and folder.</summary>
public abstract class ServerTest : IAsyncLifetime
{
    internal TestServer Server { get; private set; } = null!;

    internal TemporaryFolder Folder { get; } = new();

    public async Task InitializeAsync() => Server = await TestServer.StartAsync();

    public virtual async Task DisposeAsync()
    {
        Folder.Dispose();
        await Server.DisposeAsync();
    }
}

namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Every test uses a new folder, and its stores are disposed with it.</summary>
[NeedsLocalFolder]
public abstract class StoreTest : IAsyncLifetime
{
    private readonly List<LocalFileStore> _stores = [];

    protected TemporaryFolder Folder { get; } = new();

    /// <summary>For the <see cref="Folder"/> of a killed process.</summary>
    protected TemporaryFolder Killed { get; } = new();

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        foreach (LocalFileStore store in _stores)
        {
            await store.DisposeAsync();
        }

        Folder.Dispose();
        Killed.Dispose();
    }

    protected LocalFileStore Open(bool portable = false, string? root = null) =>
        Open(new LocalFileStoreOptions { Portable = portable }, root);

    /// <summary>Opens a store of the folder, or of another one.</summary>
    protected LocalFileStore Open(LocalFileStoreOptions options, string? root = null)
    {
        var store = new LocalFileStore(root ?? Folder.Path, options);
        _stores.Add(store);
        return store;
    }
}

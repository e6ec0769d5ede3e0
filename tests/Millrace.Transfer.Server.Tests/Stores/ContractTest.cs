namespace Millrace.Transfer.Server.Tests.Stores;

/// <summary>Every test has a new folder or bucket, and its stores are disposed with it.</summary>
public abstract class ContractTest : IAsyncLifetime
{
    private TestedStore _files = null!;

    /// <summary>The storage of the stores.</summary>
    protected TestedStore Files => _files;

    public async Task InitializeAsync() => _files = await TestedStore.CreateAsync();

    public async Task DisposeAsync() => await _files.DisposeAsync();

    protected IFileStore Open(bool portable = false) => Open(new LocalFileStoreOptions { Portable = portable });

    protected IFileStore Open(LocalFileStoreOptions options) => _files.Open(options);

    /// <summary>Opens a store that is closed before the end of the test.</summary>
    protected IAsyncDisposable Open(LocalFileStoreOptions options, out IFileStore store) => (IAsyncDisposable)(store = Open(options));
}

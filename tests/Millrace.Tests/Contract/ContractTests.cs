namespace Millrace.Tests.Contract;

/// <summary>Tests of what every reader promises. The readers that a test opens are completed after it.</summary>
public abstract class ContractTests : IAsyncLifetime
{
    private readonly List<PipeReader> _opened = [];

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        foreach (PipeReader reader in _opened)
        {
            await reader.CompleteAsync();
        }
    }

    protected PipeReader Open(string name, int length)
    {
        PipeReader reader = Readers.Get(name).Create(length);
        _opened.Add(reader);
        return reader;
    }
}

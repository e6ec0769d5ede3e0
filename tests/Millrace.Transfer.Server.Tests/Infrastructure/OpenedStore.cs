using System.Collections.Concurrent;
using System.Reflection;

namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>A store that refuses to open some files, and reports which ones it opened.</summary>
public class OpenedStore : DispatchProxy
{
    private IFileStore _store = null!;

    public ConcurrentDictionary<string, TransferError> Refused { get; } = new(StringComparer.Ordinal);

    public Action<string>? Opened { get; set; }

    /// <summary>Is waited for before a file is opened.</summary>
    public Func<Task>? Opening { get; set; }

    public static (IFileStore Store, OpenedStore Opened) Create(IFileStore store)
    {
        IFileStore proxy = Create<IFileStore, OpenedStore>();
        var opened = (OpenedStore)proxy;
        opened._store = store;
        return (proxy, opened);
    }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) => targetMethod!.Name switch
    {
        nameof(IFileStore.Within) or nameof(IFileStore.OnBehalfOf) => this,
        nameof(IFileStore.OpenReadAsync) => new ValueTask<StoredFileReader>(
            OpenAsync((TransferName)args![0]!, (DigestNeed)args[1]!, (CancellationToken)args[2]!)),
        _ => targetMethod.Invoke(_store, args),
    };

    private async Task<StoredFileReader> OpenAsync(TransferName name, DigestNeed need, CancellationToken cancellationToken)
    {
        await (Opening?.Invoke() ?? Task.CompletedTask);
        if (Refused.TryGetValue(name.Value, out TransferError error))
        {
            throw new TransferException(error, "It cannot be opened.");
        }

        StoredFileReader reader = await _store.OpenReadAsync(name, need, cancellationToken);
        Opened?.Invoke(name.Value);
        return reader;
    }
}

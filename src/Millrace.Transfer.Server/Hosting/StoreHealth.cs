using System.Text.Json.Serialization;

namespace Millrace.Transfer.Server;

/// <summary>Whether a store can take files, found out at most once a second however often it is asked.</summary>
internal sealed class StoreHealth
{
    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(1);

    private readonly IFileStore _store;
    private readonly TimeProvider _clock;
    private readonly Lock _lock = new();
    private Task<HealthDocument>? _last;
    private long _asked;

    public StoreHealth(IFileStore store, TimeProvider clock)
    {
        _store = store is MeteredFileStore metered ? metered.Store : store;
        _clock = clock;
    }

    public Task<HealthDocument> CheckAsync(CancellationToken cancellationToken)
    {
        lock (_lock)
        {
            if (_last is null || (_last.IsCompleted && _clock.GetElapsedTime(_asked) >= Fresh))
            {
                // On a thread of the pool: a disk that hangs must not hold the lock.
                _last = Task.Run(LookAsync, CancellationToken.None);
                _asked = _clock.GetTimestamp();
            }

            return _last.WaitAsync(cancellationToken);
        }
    }

    private async Task<HealthDocument> LookAsync()
    {
        try
        {
            if (_store is LocalFileStore local)
            {
                return LookAt(local);
            }

            await _store.ListAsync(new ListFilesOptions { PageSize = 1 }, CancellationToken.None).ConfigureAwait(false);
            return new HealthDocument();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new HealthDocument { Status = HealthDocument.Failing, Reason = exception.Message };
        }
    }

    private static HealthDocument LookAt(LocalFileStore store)
    {
        string hidden = Path.Combine(store.Root, NameRules.HiddenFolder);
        Directory.CreateDirectory(hidden);
        string probe = Path.Combine(hidden, $"health-{Guid.NewGuid():N}");
        using (var file = new FileStream(
            probe, FileMode.CreateNew, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.DeleteOnClose))
        {
            file.WriteByte(0);
        }

        long free = new DriveInfo(store.Root).AvailableFreeSpace;
        return free > store.Options.FreeSpaceToLeave
            ? new HealthDocument { FreeBytes = free }
            : new HealthDocument
            {
                Status = HealthDocument.Failing,
                FreeBytes = free,
                Reason = $"{free} bytes are free, and {store.Options.FreeSpaceToLeave} have to stay so.",
            };
    }
}

/// <summary>What <c>GET /health</c> says.</summary>
internal sealed record HealthDocument
{
    public const string Ok = "ok";
    public const string Failing = "failing";

    /// <summary><c>ok</c> or <c>failing</c>.</summary>
    [JsonPropertyName("status")]
    public string Status { get; init; } = Ok;

    /// <summary>Why it fails; null otherwise, and for who has no token.</summary>
    [JsonPropertyName("reason")]
    public string? Reason { get; init; }

    /// <summary>Bytes that are free on the store's device; null for who has no token, or where nobody knows.</summary>
    [JsonPropertyName("freeBytes")]
    public long? FreeBytes { get; init; }

    /// <summary>Transfers that run now; null for who has no token.</summary>
    [JsonPropertyName("transfers")]
    public int? Transfers { get; init; }
}

using System.Text.Json.Serialization;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Millrace.Transfer.Server;

/// <summary>Checks whether a store accepts files, or has them if it is read-only, at most once per second.</summary>
internal sealed class StoreHealth : IHealthCheck
{
    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(1);

    private readonly IFileStore _store;
    private readonly TimeProvider _clock;
    private readonly Lock _lock = new();
    private Task<HealthDocument>? _last;
    private long _asked;

    public StoreHealth(IFileStore store, TimeProvider clock)
    {
        _store = store;
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

    async Task<HealthCheckResult> IHealthCheck.CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken)
    {
        HealthDocument found = await CheckAsync(cancellationToken);
        return new HealthCheckResult(
            found.Status == HealthDocument.Ok ? HealthStatus.Healthy : context.Registration.FailureStatus,
            found.Reason,
            data: found.FreeBytes is { } free ? new Dictionary<string, object> { ["freeBytes"] = free } : null);
    }

    private async Task<HealthDocument> LookAsync()
    {
        try
        {
            if (_store.Unwrap() is LocalFileStore local)
            {
                return LookAt(local);
            }

            await _store.FolderExistsAsync(default, CancellationToken.None);
            return new HealthDocument();
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return new HealthDocument { Status = HealthDocument.Failing, Reason = exception.Message };
        }
    }

    private static HealthDocument LookAt(LocalFileStore store)
    {
        if (!Directory.Exists(store.Root))
        {
            // Creating the hidden folder would create it again, and the store writes to the one that was deleted.
            throw new DirectoryNotFoundException($"The folder '{store.Root}' does not exist any more.");
        }

        if (store.Options.ReadOnly)
        {
            // Free space does not matter.
            _ = Directory.EnumerateFileSystemEntries(store.Root).Any();
            return new HealthDocument();
        }

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
                Reason = $"{free} bytes are free, and {store.Options.FreeSpaceToLeave} have to stay free.",
            };
    }
}

/// <summary>The response to <c>GET /health</c>. A caller that is not authenticated gets the status alone.</summary>
internal sealed record HealthDocument
{
    public const string Ok = "ok";
    public const string Failing = "failing";

    [JsonPropertyName("status")]
    public string Status { get; init; } = Ok;

    [JsonPropertyName("reason")]
    public string? Reason { get; init; }

    /// <summary>Free bytes of the store's device; null if unknown.</summary>
    [JsonPropertyName("freeBytes")]
    public long? FreeBytes { get; init; }

    [JsonPropertyName("transfers")]
    public int? Transfers { get; init; }

    /// <summary>The findings of the check of the stored files; null without a check.</summary>
    [JsonPropertyName("scrub")]
    public ScrubDocument? Scrub { get; init; }
}

/// <summary>The state of a <see cref="StoreScrub"/>, in the response to <c>GET /health</c>.</summary>
/// <remarks>Without names: a caller whose token is for one folder sees it too.</remarks>
internal sealed record ScrubDocument
{
    [JsonPropertyName("started")]
    public DateTimeOffset? Started { get; init; }

    [JsonPropertyName("completed")]
    public DateTimeOffset? Completed { get; init; }

    [JsonPropertyName("files")]
    public long Files { get; init; }

    [JsonPropertyName("bytes")]
    public long Bytes { get; init; }

    [JsonPropertyName("totalBytes")]
    public long TotalBytes { get; init; }

    [JsonPropertyName("skipped")]
    public long Skipped { get; init; }

    /// <summary>How many files are damaged.</summary>
    [JsonPropertyName("damaged")]
    public int Damaged { get; init; }

    public static ScrubDocument? Of(StoreScrub? scrub) => scrub?.Status is not { } status ? null : new()
    {
        Started = status.Started,
        Completed = status.Completed,
        Files = status.Files,
        Bytes = status.Bytes,
        TotalBytes = status.TotalBytes,
        Skipped = status.Skipped,
        Damaged = status.Damaged.Count,
    };
}

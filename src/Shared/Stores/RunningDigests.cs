using System.Collections.Concurrent;

namespace Millrace.Transfer.Server;

/// <summary>Digests that are being computed: each once for all concurrent requests, and those of a few large files at a time. Thread-safe.</summary>
/// <param name="largeBytes">A file with more bytes waits for its turn.</param>
/// <typeparam name="TVersion">One version of a file.</typeparam>
internal sealed class RunningDigests<TVersion>(long largeBytes) : IAsyncDisposable
    where TVersion : notnull
{
    /// <summary>Large files that are read at once, for all callers together: each is open, and read to its end.</summary>
    private const int MaxReading = 4;

    private readonly ConcurrentDictionary<TVersion, Lazy<Task<Sha256Digest?>>> _running = new();
    private readonly SemaphoreSlim _slots = new(MaxReading, MaxReading);

    public bool Contains(TVersion version) => _running.ContainsKey(version);

    /// <summary>Computes a digest, or waits for the request that computes it.</summary>
    /// <param name="version">The version of the file.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="compute">Reads the file, unless the digest was computed since the caller looked.</param>
    /// <param name="cancellationToken">Ends the wait; a computation that has begun goes on, for the next request.</param>
    public async Task<Sha256Digest?> ComputeAsync(
        TVersion version, long length, Func<Task<Sha256Digest?>> compute, CancellationToken cancellationToken)
    {
        if (!_running.TryGetValue(version, out Lazy<Task<Sha256Digest?>>? work))
        {
            bool isLarge = length > largeBytes;
            if (isLarge)
            {
                await _slots.WaitAsync(cancellationToken);
            }

            Lazy<Task<Sha256Digest?>> mine = new(() => Task.Run(() => RunAsync(version, isLarge, compute)));
            work = _running.GetOrAdd(version, mine);
            if (isLarge && work != mine)
            {
                _slots.Release();
            }
        }

        return await work.Value.WaitAsync(cancellationToken);
    }

    /// <summary>Waits for running computations, which the owner cancels.</summary>
    public async ValueTask DisposeAsync()
    {
        foreach (Lazy<Task<Sha256Digest?>> work in _running.Values)
        {
            await ((Task)work.Value).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task<Sha256Digest?> RunAsync(TVersion version, bool isLarge, Func<Task<Sha256Digest?>> compute)
    {
        try
        {
            return await compute();
        }
        finally
        {
            _running.TryRemove(version, out _);
            if (isLarge)
            {
                _slots.Release();
            }
        }
    }
}

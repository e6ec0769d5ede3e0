using System.Collections.Concurrent;
using System.Text;

namespace Millrace.Transfer.Server;

/// <summary>
/// Joins of parts, which take as long as the file is large. They go on without the client that asked, because proxies give up earlier, and
/// a repetition of the request finds them, running or done. Thread-safe.
/// </summary>
internal sealed class RunningJoins : IAsyncDisposable
{
    /// <summary>Joins that may be known before those that are done are forgotten.</summary>
    private const int MaxKnown = 1000;

    private readonly ConcurrentDictionary<(IFileStore Store, Sha256Digest Request), Lazy<Task<UploadStatus>>> _joins = new();
    private readonly CancellationTokenSource _end = new();

    /// <summary>Names a request to a store, so that it is found again.</summary>
    public static (IFileStore Store, Sha256Digest Request) KeyOf(IFileStore store, IEnumerable<string?> request) =>
        (store, Sha256Digest.Compute(Encoding.UTF8.GetBytes(string.Join('\n', request))));

    /// <summary>Waits for the join that the same request has started before.</summary>
    /// <param name="key">The request.</param>
    /// <param name="isThere">Whether the file of an earlier join is still there.</param>
    /// <param name="waiting">Ends the wait, and not the join.</param>
    /// <returns>Null if there is none, or its file has gone.</returns>
    public async ValueTask<UploadStatus?> FindAsync(
        (IFileStore Store, Sha256Digest Request) key, Func<UploadStatus, ValueTask<bool>> isThere, CancellationToken waiting)
    {
        if (!_joins.TryGetValue(key, out Lazy<Task<UploadStatus>>? join))
        {
            return null;
        }

        bool wasDone = join.Value.IsCompleted;
        UploadStatus status = await join.Value.WaitAsync(waiting);
        if (!wasDone || await isThere(status))
        {
            return status;
        }

        _joins.TryRemove(KeyValuePair.Create(key, join));
        return null;
    }

    /// <summary>Starts a join, and waits for it.</summary>
    /// <param name="key">The request.</param>
    /// <param name="join">Joins and publishes; canceled only by the end of the server.</param>
    /// <param name="waiting">Ends the wait, and not the join.</param>
    public Task<UploadStatus> RunAsync(
        (IFileStore Store, Sha256Digest Request) key, Func<CancellationToken, Task<UploadStatus>> join, CancellationToken waiting)
    {
        if (_joins.Count >= MaxKnown)
        {
            foreach (KeyValuePair<(IFileStore, Sha256Digest), Lazy<Task<UploadStatus>>> known in _joins.Where(static known => known.Value.Value.IsCompleted))
            {
                _joins.TryRemove(known);
            }
        }

        return _joins.GetOrAdd(key, _ => new Lazy<Task<UploadStatus>>(() => Task.Run(JoinAsync))).Value.WaitAsync(waiting);

        async Task<UploadStatus> JoinAsync()
        {
            try
            {
                return await join(_end.Token);
            }
            catch
            {
                // The next request may find the obstacle gone.
                _joins.TryRemove(key, out _);
                throw;
            }
        }
    }

    /// <summary>Ends the joins that run.</summary>
    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_joins.Values.Select(static join => (Task)join.Value)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _end.Dispose();
    }
}

using System.Collections.Concurrent;

namespace Millrace.Transfer.S3;

/// <summary>
/// Files and folders that were not there a moment ago, so that the pages of a listing, and the files of one folder, need not ask for the same
/// ones. Thread-safe.
/// </summary>
internal sealed class AbsentKeys
{
    private const int MaxKnown = 1024;

    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(10);

    private readonly ConcurrentDictionary<string, long> _known = new();

    public bool Contains(string key) =>
        _known.TryGetValue(key, out long asked) && Environment.TickCount64 - asked < Fresh.TotalMilliseconds;

    /// <summary>It is there now.</summary>
    public void Remove(string key) => _known.TryRemove(key, out _);

    public void Add(string key)
    {
        if (_known.Count >= MaxKnown)
        {
            _known.Clear();
        }

        _known[key] = Environment.TickCount64;
    }
}

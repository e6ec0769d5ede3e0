namespace Millrace.Transfer.Server;

/// <summary>Counts the transfers that run for each token or address. Thread-safe.</summary>
internal sealed class TransferSlots
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, int> _running = new(StringComparer.Ordinal);
    private readonly int _most;

    /// <summary>Allows as many at once for each.</summary>
    public TransferSlots(int most) => _most = most;

    /// <summary>All that run.</summary>
    public int Running
    {
        get
        {
            lock (_lock)
            {
                return _running.Values.Sum();
            }
        }
    }

    /// <summary>Takes a place; false when all are taken.</summary>
    public bool TryTake(string key)
    {
        lock (_lock)
        {
            _running.TryGetValue(key, out int running);
            if (running >= _most)
            {
                return false;
            }

            _running[key] = running + 1;
            return true;
        }
    }

    /// <summary>Gives a place back.</summary>
    public void Release(string key)
    {
        lock (_lock)
        {
            int left = _running[key] - 1;
            if (left == 0)
            {
                // Addresses come and go without end.
                _running.Remove(key);
            }
            else
            {
                _running[key] = left;
            }
        }
    }
}

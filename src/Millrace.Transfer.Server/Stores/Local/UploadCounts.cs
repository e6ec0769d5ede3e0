namespace Millrace.Transfer.Server;

/// <summary>How many unfinished uploads there are, of each caller and in total. Thread-safe.</summary>
internal sealed class UploadCounts(LocalFileStoreOptions options)
{
    private readonly Lock _lock = new();
    private readonly Dictionary<string, Caller> _callers = [];
    private int _total;
    private int _taken;

    /// <summary>How often a request took an upload; for tests.</summary>
    public int Taken => Volatile.Read(ref _taken);

    /// <summary>Counts an upload that is about to be started.</summary>
    /// <exception cref="TransferException"><see cref="TransferError.TooManyTransfers"/>.</exception>
    public Caller Take(TransferName name, string caller)
    {
        lock (_lock)
        {
            bool isOfCaller = _callers.TryGetValue(caller, out Caller? found) && found.Count >= options.MaxUploadsPerCaller;
            return isOfCaller || _total >= options.MaxUploads
                ? throw Errors.TooManyUploads(name, isOfCaller ? options.MaxUploadsPerCaller : options.MaxUploads, isOfCaller)
                : Add(caller);
        }
    }

    /// <summary>Counts an upload of an earlier process, whatever the limit.</summary>
    public Caller TakeExisting(string caller)
    {
        lock (_lock)
        {
            return Add(caller);
        }
    }

    public void Release(Caller caller)
    {
        lock (_lock)
        {
            _total--;
            if (--caller.Count == 0)
            {
                _callers.Remove(caller.Name);
            }
        }
    }

    public void CountTaken() => Interlocked.Increment(ref _taken);

    private Caller Add(string name)
    {
        if (!_callers.TryGetValue(name, out Caller? caller))
        {
            _callers.Add(name, caller = new Caller(name));
        }

        _total++;
        caller.Count++;
        return caller;
    }

    /// <summary>One caller; all its uploads share it.</summary>
    internal sealed class Caller(string name)
    {
        public string Name => name;

        public int Count { get; set; }
    }
}

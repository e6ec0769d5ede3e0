namespace Millrace;

/// <summary>The state of a reader or writer: whether it is completed, an operation is pending, or a cancellation was asked for.</summary>
internal struct PipeState
{
    private const int Canceled = 1;
    private const int Completed = 2;
    private const int Pending = 4;

    private int _flags;

    /// <summary>Nothing is pending, canceled or completed. For hot paths: one comparison.</summary>
    public readonly bool IsIdle => _flags == 0;

    public readonly bool IsUsable => _flags <= Canceled;

    public bool IsCompleted => (Volatile.Read(ref _flags) & Completed) != 0;

    public bool IsCancellationRequested => (Volatile.Read(ref _flags) & Canceled) != 0;

    /// <summary>Whether a wait that begins now has to end at once.</summary>
    public bool EndsWaits => (Volatile.Read(ref _flags) & (Canceled | Completed)) != 0;

    public void Cancel() => Interlocked.Or(ref _flags, Canceled);

    /// <summary>Whether a cancellation was asked for; the next call returns false.</summary>
    public bool TakeCancellation() =>
        (_flags & Canceled) != 0 && (Interlocked.And(ref _flags, ~Canceled) & Canceled) != 0;

    public bool TryComplete(out bool pending)
    {
        int before = Interlocked.Or(ref _flags, Completed);
        pending = (before & Pending) != 0;
        return (before & Completed) == 0;
    }

    /// <returns>False if an operation is pending already, of which this one is a part.</returns>
    public bool TryEnter() => (Interlocked.Or(ref _flags, Pending) & Pending) == 0;

    /// <returns>Whether it was completed meanwhile.</returns>
    public bool Leave() => (Interlocked.And(ref _flags, ~Pending) & Completed) != 0;

    public void ThrowIfCompleted(bool reads, string path)
    {
        if (IsCompleted)
        {
            throw new InvalidOperationException(
                reads ? $"The reader of '{path}' is completed; open the file again to read it."
                    : $"The writer of '{path}' is completed; create another one.");
        }
    }

    public void ThrowIfUnusable(bool reads, string path)
    {
        ThrowIfCompleted(reads, path);
        if ((Volatile.Read(ref _flags) & Pending) != 0)
        {
            throw new InvalidOperationException(
                reads
                    ? $"A read of '{path}' is pending; await it before the next call. One caller at a time may use a reader."
                    : $"A flush of '{path}' is pending; await it before the next call. One caller at a time may use a writer.");
        }
    }
}

namespace Millrace.Transfer.Server;

/// <summary>
/// One writer of a name at a time, while it is checked and published. A few locks for all names: two names that share one
/// sometimes wait for each other, which costs less than a lock for each name.
/// </summary>
internal sealed class NameLocks : IDisposable
{
    private const int Count = 256;

    private readonly SemaphoreSlim[] _locks = [.. Enumerable.Range(0, Count).Select(_ => new SemaphoreSlim(1, 1))];

    /// <summary>Waits for the name's lock; to be given back by <see cref="SemaphoreSlim.Release()"/>.</summary>
    public async ValueTask<SemaphoreSlim> EnterAsync(TransferName name, CancellationToken cancellationToken)
    {
        SemaphoreSlim one = _locks[(uint)name.GetHashCode() % Count];
        await one.WaitAsync(cancellationToken);
        return one;
    }

    public void Dispose()
    {
        foreach (SemaphoreSlim one in _locks)
        {
            one.Dispose();
        }
    }
}

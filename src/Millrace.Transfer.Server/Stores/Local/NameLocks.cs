namespace Millrace.Transfer.Server;

/// <summary>
/// One writer of a name at a time, while it is looked at and published. A few locks for all names: two that share one wait
/// for each other now and then, which costs less than keeping a lock for each.
/// </summary>
internal sealed class NameLocks : IDisposable
{
    private const int Count = 256;

    private readonly SemaphoreSlim[] _locks = [.. Enumerable.Range(0, Count).Select(_ => new SemaphoreSlim(1, 1))];

    /// <summary>Waits for the name's lock; to be given back by <see cref="SemaphoreSlim.Release()"/>.</summary>
    public async ValueTask<SemaphoreSlim> EnterAsync(TransferName name, CancellationToken cancellationToken)
    {
        SemaphoreSlim one = _locks[(uint)name.GetHashCode() % Count];
        await one.WaitAsync(cancellationToken).ConfigureAwait(false);
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

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

    /// <summary>Waits for the locks of two names, in an order that is the same for everybody.</summary>
    public async ValueTask<Pair> EnterAsync(TransferName one, TransferName other, CancellationToken cancellationToken)
    {
        (uint first, uint second) = ((uint)one.GetHashCode() % Count, (uint)other.GetHashCode() % Count);
        if (first == second)
        {
            return new Pair(await EnterAsync(one, cancellationToken), null);
        }

        SemaphoreSlim entered = await EnterAsync(first < second ? one : other, cancellationToken);
        try
        {
            return new Pair(entered, await EnterAsync(first < second ? other : one, cancellationToken));
        }
        catch
        {
            entered.Release();
            throw;
        }
    }

    /// <summary>Waits for the locks of all names.</summary>
    public async ValueTask<All> EnterAllAsync(CancellationToken cancellationToken)
    {
        int entered = 0;
        try
        {
            // In the same order as those of two names.
            for (; entered < Count; entered++)
            {
                await _locks[entered].WaitAsync(cancellationToken);
            }

            return new All(this);
        }
        catch
        {
            Release(entered);
            throw;
        }
    }

    public void Dispose()
    {
        foreach (SemaphoreSlim one in _locks)
        {
            one.Dispose();
        }
    }

    private void Release(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _locks[i].Release();
        }
    }

    /// <summary>The locks of all names.</summary>
    public readonly struct All(NameLocks locks) : IDisposable
    {
        public void Dispose() => locks.Release(Count);
    }

    /// <summary>The locks of two names, which may be the same.</summary>
    public readonly struct Pair(SemaphoreSlim one, SemaphoreSlim? other) : IDisposable
    {
        public void Dispose()
        {
            one.Release();
            other?.Release();
        }
    }
}

namespace Millrace.Lab.Running;

/// <summary>Something that its first user starts and its last one ends.</summary>
internal sealed class Shared<T>
    where T : class, IDisposable
{
    private readonly Lock _gate = new();
    private int _users;
    private T? _current;

    /// <summary>Takes part in it; to be given back once by <see cref="Release"/>.</summary>
    public T Acquire(Func<T> start)
    {
        lock (_gate)
        {
            _current ??= start();
            _users++;
            return _current;
        }
    }

    public void Release()
    {
        lock (_gate)
        {
            if (--_users == 0)
            {
                _current!.Dispose();
                _current = null;
            }
        }
    }
}

using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>Lets so many downloads receive at once, and half as many after the server has refused one because there are too many. Thread-safe.</summary>
/// <param name="most">How many may, 1 or more.</param>
[SuppressMessage("Design", "CA1001", Justification = "A semaphore without a wait handle holds nothing, and its disposal would leave those that wait for ever.")]
internal sealed class ReceiveTurns(int most)
{
    private readonly SemaphoreSlim _turns = new(most);
    private volatile bool _isSlower;
    private int _kept;

    /// <summary>Waits until a download may receive.</summary>
    public Task EnterAsync(CancellationToken cancellationToken) => _turns.WaitAsync(cancellationToken);

    /// <summary>The server allows fewer at once.</summary>
    public void SlowDown() => _isSlower = true;

    /// <summary>The download has received what it can.</summary>
    public void Leave()
    {
        if (_isSlower && Volatile.Read(ref _kept) < most / 2 && Interlocked.Increment(ref _kept) <= most / 2)
        {
            return;
        }

        _turns.Release();
    }
}

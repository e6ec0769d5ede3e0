namespace Millrace.Transfer;

/// <summary>Decides how many files move at once. Thread-safe.</summary>
/// <param name="small">How many small files may, at this moment: <see cref="Most"/> where they travel together.</param>
/// <param name="smallApart">How many others may.</param>
/// <param name="large">How many of them may be large.</param>
/// <param name="yields">Whether <see cref="SlowDown"/> is for small files of which <see cref="Most"/> may move, too: each has its own request.</param>
internal sealed class FileTurns(
    Func<int> small, int smallApart = FileTurns.SmallAtOnce, int large = FileTurns.LargeAtOnce, bool yields = false) : IDisposable
{
    /// <summary>Small files that are moved at once where several of them travel in one request.</summary>
    public const int Most = 256;

    /// <summary>The same where each needs its own request: they mostly wait for the server's device, and share a flush of it.</summary>
    public const int SmallAtOnce = 8;

    /// <summary>Larger files that are moved at once.</summary>
    /// <remarks>Enough that a line is busy while small files wait for their answers; more only share it.</remarks>
    public const int LargeAtOnce = 4;

    private readonly SemaphoreSlim _apart = new(smallApart);
    private readonly SemaphoreSlim _large = new(large);
    private volatile bool _isSlower;

    /// <summary>A server may allow fewer at once, which shows in a second attempt.</summary>
    public void SlowDown() => _isSlower = true;

    /// <summary>Waits until a file may move.</summary>
    /// <returns>What <see cref="Leave"/> takes.</returns>
    public async ValueTask<int> EnterAsync(bool isSmall, CancellationToken cancellationToken)
    {
        if (isSmall && small() >= Most && !(yields && _isSlower))
        {
            return 0;
        }

        await _apart.WaitAsync(cancellationToken).ConfigureAwait(false);
        if (isSmall && !_isSlower)
        {
            return 1;
        }

        try
        {
            await _large.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            _apart.Release();
            throw;
        }

        return 2;
    }

    /// <summary>The file has moved.</summary>
    public void Leave(int turn)
    {
        if (turn == 2)
        {
            _large.Release();
        }

        if (turn > 0)
        {
            _apart.Release();
        }
    }

    public void Dispose()
    {
        _apart.Dispose();
        _large.Dispose();
    }
}

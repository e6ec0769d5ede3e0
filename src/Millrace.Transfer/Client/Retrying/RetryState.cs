namespace Millrace.Transfer;

/// <summary>The tries of one transfer. Progress begins the count anew.</summary>
internal sealed class RetryState
{
    /// <summary>Tries so far, the running one included.</summary>
    public int Attempts { get; private set; } = 1;

    /// <summary>Tries that failed since the last progress.</summary>
    public int Failures { get; private set; }

    /// <summary>How long the other side asked to wait; null when it did not.</summary>
    public TimeSpan? Asked { get; private set; }

    private long _best = -1;

    /// <summary>So many bytes are there; more than ever before is progress.</summary>
    public void Reached(long bytes)
    {
        if (bytes > _best)
        {
            if (_best >= 0)
            {
                Failures = 0;
            }

            _best = bytes;
        }
    }

    /// <summary>A try failed.</summary>
    /// <returns>Whether there is another one.</returns>
    public bool Fail(TransferException exception, int most)
    {
        Failures++;
        Asked = exception.RetryAfter;
        if (!exception.IsTransient || Failures >= most)
        {
            return false;
        }

        Attempts++;
        return true;
    }
}

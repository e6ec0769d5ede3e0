namespace Millrace.Transfer.S3;

/// <summary>One limit for the memory of all parts. A caller that wants more than is free waits, first come, first served. Thread-safe.</summary>
/// <param name="limit">Bytes.</param>
/// <remarks>A part's memory is taken at once, before its first byte: no request waits for memory while holding an unsent part.</remarks>
internal sealed class PartMemory(long limit)
{
    private readonly Lock _lock = new();
    private readonly LinkedList<(long Bytes, TaskCompletionSource Granted)> _waiting = new();
    private long _used;

    /// <summary>Bytes that are taken now.</summary>
    public long Used
    {
        get
        {
            lock (_lock)
            {
                return _used;
            }
        }
    }

    /// <summary>Takes memory for a part.</summary>
    /// <returns>The part, to be disposed.</returns>
    public async ValueTask<PartBuffer> RentAsync(long bytes, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        long taken = PartBuffer.RoundUp(bytes);
        LinkedListNode<(long Bytes, TaskCompletionSource Granted)>? node = null;
        lock (_lock)
        {
            if (_waiting.Count == 0 && Fits(taken))
            {
                _used += taken;
            }
            else
            {
                node = _waiting.AddLast((taken, new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously)));
            }
        }

        if (node is not null)
        {
            await WaitAsync(node, cancellationToken);
        }

        return new PartBuffer(this, bytes, taken);
    }

    public void Return(long taken)
    {
        lock (_lock)
        {
            _used -= taken;
            Grant();
        }
    }

    private async ValueTask WaitAsync(
        LinkedListNode<(long Bytes, TaskCompletionSource Granted)> node, CancellationToken cancellationToken)
    {
        try
        {
            await node.Value.Granted.Task.WaitAsync(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            lock (_lock)
            {
                if (node.List is not null)
                {
                    _waiting.Remove(node);
                }
                else
                {
                    _used -= node.Value.Bytes;
                }

                Grant();
            }

            throw;
        }
    }

    private void Grant()
    {
        while (_waiting.First is { } first && Fits(first.Value.Bytes))
        {
            _used += first.Value.Bytes;
            _waiting.RemoveFirst();
            first.Value.Granted.SetResult();
        }
    }

    /// <summary>A part that is larger than the limit is alone.</summary>
    private bool Fits(long bytes) => _used == 0 || _used + bytes <= limit;
}

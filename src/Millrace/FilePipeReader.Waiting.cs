using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Sources;

namespace Millrace;

/// <summary>Reads that have to wait.</summary>
public sealed partial class FilePipeReader
{
    private ReadWait? _wait;

    /// <summary>What sources call; null as long as no read had to wait. For tests of late calls.</summary>
    internal IReadyCallback? Waiter => _wait;

    /// <summary>Waits until there is an answer. While it waits nobody else touches the window.</summary>
    /// <remarks>
    /// A loop, because the source may call late, for a read that was canceled meanwhile; blocking here instead would
    /// make the read deaf to its token and to <see cref="CancelPendingRead"/>.
    /// </remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> WaitAsync(CancellationToken cancellationToken)
    {
        Interlocked.Or(ref _flags, PendingFlag);
        try
        {
            _tally.Asynchronous++;
            ReadResult result;
            do
            {
                await SuspendAsync(cancellationToken).ConfigureAwait(false);
                ThrowIfCompleted();
            }
            while (!TryRead(1, wait: false, out result));

            ThrowIfCompleted();
            return result;
        }
        finally
        {
            _source.Disarm();

            // Completed while this read used the window: it is for this read to give it back.
            if ((Interlocked.And(ref _flags, ~PendingFlag) & CompletedFlag) != 0)
            {
                Release();
            }
        }
    }

    /// <inheritdoc/>
    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(
        int minimumSize, CancellationToken cancellationToken) => ReadSlowAsync(minimumSize, cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> WaitForAtLeastAsync(int minimumSize, CancellationToken cancellationToken)
    {
        int examined = _examined;
        int served = _served;
        while (true)
        {
            // Everything there is counts as examined, so that the wait is for more.
            _examined = Math.Max(_examined, _window.Length);
            ReadResult result;
            try
            {
                result = await ReadSlowAsync(1, cancellationToken).ConfigureAwait(false);
            }
            finally
            {
                _examined = examined;
            }

            if (result.IsCanceled || result.IsCompleted)
            {
                return result;
            }

            // The chunk just waited for was not handed out: the caller's wish holds for the result as a whole.
            _served = served;
            if (TryRead(minimumSize, wait: false, out result))
            {
                return result;
            }
        }
    }

    private ValueTask<ReadResult> ReadSlowAsync(int minimum, CancellationToken cancellationToken)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        try
        {
            if (TryRead(minimum, wait: false, out ReadResult result))
            {
                return new ValueTask<ReadResult>(result);
            }
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException<ReadResult>(exception);
        }

        return minimum <= 1 ? WaitAsync(cancellationToken) : WaitForAtLeastAsync(minimum, cancellationToken);
    }

    /// <summary>Begins to wait for the source, a token, a cancel or the completion.</summary>
    private ValueTask SuspendAsync(CancellationToken cancellationToken)
    {
        ReadWait wait = _wait ??= new ReadWait();
        wait.Begin(cancellationToken);
        if (!_source.Arm(wait) || (Volatile.Read(ref _flags) & (CancelFlag | CompletedFlag)) != 0)
        {
            // There is something already, or it was canceled or completed between the look at the flags and the wait.
            wait.End();
        }

        return wait.Task();
    }
}

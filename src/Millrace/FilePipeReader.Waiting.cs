using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading.Tasks.Sources;
using Millrace.Sources;

namespace Millrace;

/// <summary>Reads that have to wait: suspended without an allocation, woken by the source, a token or a cancel.</summary>
public sealed partial class FilePipeReader : IValueTaskSource, IReadyCallback
{
    private ManualResetValueTaskSourceCore<WakeReason> _wait;
    private CancellationToken _waitToken;
    private CancellationTokenRegistration _waitRegistration;
    private int _waiting;

    private enum WakeReason
    {
        Ready,
        Canceled,
        TokenCanceled,
        Completed,
    }

    /// <inheritdoc/>
    void IReadyCallback.OnReady() => Wake(WakeReason.Ready);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => _wait.GetStatus(token);

    void IValueTaskSource.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _wait.OnCompleted(continuation, state, token, flags);

    void IValueTaskSource.GetResult(short token)
    {
        WakeReason reason = _wait.GetResult(token);
        _waitRegistration.Dispose();
        _waitRegistration = default;
        CancellationToken canceled = _waitToken;
        _waitToken = default;
        _source.Disarm();
        ThrowIfCompleted();
        if (reason == WakeReason.TokenCanceled)
        {
            throw new OperationCanceledException(canceled);
        }
    }

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
            }
            while (!TryRead(1, wait: false, out result));

            ThrowIfCompleted();
            return result;
        }
        finally
        {
            // Completed while this read used the window: it is for this read to give it back.
            if ((Interlocked.And(ref _flags, ~PendingFlag) & CompletedFlag) != 0)
            {
                Release();
            }
        }
    }

    /// <inheritdoc/>
    protected override ValueTask<ReadResult> ReadAtLeastAsyncCore(int minimumSize, CancellationToken cancellationToken)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<ReadResult>(cancellationToken);
        }

        try
        {
            if (TryRead(minimumSize, wait: false, out ReadResult result))
            {
                return new ValueTask<ReadResult>(result);
            }
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException<ReadResult>(exception);
        }

        return WaitForAtLeastAsync(minimumSize, cancellationToken);
    }

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

        return WaitAsync(cancellationToken);
    }

    private ValueTask SuspendAsync(CancellationToken cancellationToken)
    {
        _wait.Reset();
        _waitToken = cancellationToken;
        Volatile.Write(ref _waiting, 1);
        if (cancellationToken.CanBeCanceled)
        {
            _waitRegistration = cancellationToken.UnsafeRegister(
                static state => ((FilePipeReader)state!).Wake(WakeReason.TokenCanceled), this);
        }

        if (!_source.Arm(this))
        {
            Wake(WakeReason.Ready);
        }
        else if ((Volatile.Read(ref _flags) & (CancelFlag | CompletedFlag)) != 0)
        {
            // Canceled or completed between the look at the flags and the wait.
            Wake(WakeReason.Canceled);
        }

        return new ValueTask(this, _wait.Version);
    }

    /// <summary>Ends the wait, whoever comes first.</summary>
    private void Wake(WakeReason reason)
    {
        if (Interlocked.Exchange(ref _waiting, 0) == 1)
        {
            _wait.SetResult(reason);
        }
    }
}

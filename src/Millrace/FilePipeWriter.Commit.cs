using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Writing;

namespace Millrace;

public abstract partial class FilePipeWriter
{
    /// <summary>Publishes the file under its name, durably unless the options say otherwise, and ends the writing.</summary>
    /// <param name="cancellationToken">
    /// Ends the wait before the file has its name, not after: a commit that throws has published nothing, unless the exception
    /// states it. The writer can commit again or be disposed.
    /// </param>
    /// <returns>Length and, when asked for, SHA-256.</returns>
    /// <exception cref="FilePipeException">The file could not be written, flushed or named. A file of that name is unchanged.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public ValueTask<CommitResult> CommitAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CommitResult>(cancellationToken)
            : CommitCoreAsync(Task.CompletedTask, cancellationToken);
    }

    /// <summary>
    /// Publishes the file like <see cref="CommitAsync(CancellationToken)"/>, but not before other work has succeeded, for example the flush of a
    /// log that records the publication. Both flushes run at the same time.
    /// </summary>
    /// <param name="prerequisite">The work, which is already running. If it fails, nothing is published and its exception is thrown.</param>
    /// <param name="cancellationToken">Ends the wait before the file has its name, not after.</param>
    /// <returns>As <see cref="CommitAsync(CancellationToken)"/>.</returns>
    /// <exception cref="FilePipeException">As <see cref="CommitAsync(CancellationToken)"/>.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public ValueTask<CommitResult> CommitAsync(Task prerequisite, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(prerequisite);
        ThrowIfUnusable();
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CommitResult>(cancellationToken)
            : CommitCoreAsync(prerequisite, cancellationToken);
    }

    /// <summary>
    /// Publishes the file like <see cref="CommitAsync(CancellationToken)"/>, and waits for the disk on the calling thread, without a thread-pool hop.
    /// </summary>
    /// <returns>As <see cref="CommitAsync(CancellationToken)"/>.</returns>
    /// <exception cref="FilePipeException">As <see cref="CommitAsync(CancellationToken)"/>.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public CommitResult Commit()
    {
        EnterPending();
        CommitResult commit;
        try
        {
            WriteAll();
            Prepare();
            commit = Publish();
        }
        finally
        {
            _ = _state.Leave();
        }

        Complete();
        return commit;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<CommitResult> CommitCoreAsync(Task prerequisite, CancellationToken cancellationToken)
    {
        EnterPending();
        CommitResult commit;
        try
        {
            await WriteAllAsync(cancellationToken).ConfigureAwait(false);
            if (_durable && Written <= BlockPool.BodyBytes && prerequisite.IsCompletedSuccessfully && CommitGroup.Find(File) is { } group)
            {
                await CommitAsync(group, cancellationToken).ConfigureAwait(false);
                commit = Result();
            }
            else
            {
                if (_durable)
                {
                    // Flushing waits for a device, which is not for the caller's thread.
                    if (Written <= BlockPool.BodyBytes)
                    {
                        File.BeginFlush();
                    }

                    await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                    cancellationToken.ThrowIfCancellationRequested();
                }

                Prepare();
                if (!prerequisite.IsCompletedSuccessfully)
                {
                    await prerequisite.WaitAsync(cancellationToken).ConfigureAwait(false);
                }

                commit = Publish();
            }
        }
        finally
        {
            _ = _state.Leave();
        }

        Complete();
        return commit;
    }

    /// <summary>The hash of a resumed file lacks the earlier bytes: reads all of it, most likely from the cache.</summary>
    private void HashAll()
    {
        // A digest that a failed commit has left half done.
        _ = _hash!.GetHashAndReset();
        using FilePipeReader reader = FilePipe.OpenRead(
            Handle, new FileReadOptions
            {
                Length = Written,
                LeaveOpen = true,
                ChangeDetection = ChangeDetection.Truncated,
                KeepCached = File.Pages == CachedPages.Kept,
            });
        ReadResult result;
        do
        {
            result = reader.Read();
            _hash.AppendData(result.Buffer.FirstSpan);
            reader.AdvanceTo(result.Buffer.End);
        }
        while (!result.IsCompleted);
    }

    /// <summary>Does everything except giving the file its name.</summary>
    private void Prepare()
    {
        if (_reserved > Written)
        {
            File.SetLength(Written);
        }

        if (_hashesAtCommit)
        {
            HashAll();
        }

        if (_durable)
        {
            FlushToDevice();
        }
    }

    private async ValueTask CommitAsync(CommitGroup group, CancellationToken cancellationToken)
    {
        if (_lost is not null)
        {
            throw _lost;
        }

        if (_reserved > Written)
        {
            File.SetLength(Written);
        }

        // Many may wait, each of which has written all of it.
        _buffer.Release();
        var work = new CommitWork(File, cancellationToken);
        try
        {
            await group.CommitAsync(work).ConfigureAwait(false);
        }
        catch (FilePipeException exception) when (work.IsLost)
        {
            _lost = exception;
            throw;
        }
    }

    private CommitResult Publish()
    {
        File.Publish(_durable);
        return Result();
    }

    private CommitResult Result() => new(Written, _hash?.GetHashAndReset());
}

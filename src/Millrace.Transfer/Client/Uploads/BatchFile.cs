using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>A small file that waits to travel with others, or is on its way.</summary>
internal sealed class BatchFile(SmallFile content, TransferName name, PutOptions options, Sha256Digest? sha256, ProgressMeter meter)
{
    // Its continuation is the caller's code, for which the others do not wait.
    private readonly TaskCompletionSource<BatchOutcome> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public SmallFile Content => content;

    public TransferName Name => name;

    /// <summary>Bytes of a request that it takes, at most.</summary>
    public int Bytes { get; } = content.Content.Length + BatchSource.MaxLineBytes(name, options.Precondition);

    public PutOptions Options => options;

    /// <summary>The digest of its content; null where digests are off.</summary>
    public Sha256Digest? Sha256 => sha256;

    public ProgressMeter Meter => meter;

    /// <summary>The request that brings it; null while it waits.</summary>
    public Batch? Batch { get; set; }

    public Task<BatchOutcome> Outcome => _completion.Task;

    public bool TryEnd(BatchOutcome outcome) => _completion.TrySetResult(outcome);

    public void Fail(Exception exception) => _completion.TrySetException(exception);

    public bool TryCancel(CancellationToken cancellationToken) => _completion.TrySetCanceled(cancellationToken);
}

/// <summary>A request that brings several files.</summary>
[SuppressMessage("Design", "CA1001", Justification = "A source without a timer holds nothing, and a caller may still give up when the request has ended.")]
internal sealed class Batch(List<BatchFile> files)
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _waiting = files.Count;

    public List<BatchFile> Files => files;

    /// <summary>Ends the request when nobody waits for it any more.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Ends when the server receives no more of it.</summary>
    public Task Ended => _ended.Task;

    public void End() => _ended.TrySetResult();

    /// <summary>The caller of one file gives up. The others go on.</summary>
    public void Leave()
    {
        if (Interlocked.Decrement(ref _waiting) == 0)
        {
            _stop.Cancel();
        }
    }
}

/// <summary>What became of a <see cref="BatchFile"/>.</summary>
/// <param name="Way">How it goes on.</param>
/// <param name="Tag">The version that was published.</param>
/// <param name="Sha256">Its digest, as the server has it.</param>
internal readonly record struct BatchOutcome(BatchWay Way, EntityTag? Tag = null, Sha256Digest? Sha256 = null);

/// <summary>How a <see cref="BatchFile"/> goes on.</summary>
internal enum BatchWay
{
    /// <summary>It is published.</summary>
    Published,

    /// <summary>It is alone: with a request of its own, in the turn that it has.</summary>
    Alone,

    /// <summary>With a request of its own: the one with others failed or did not bring it.</summary>
    Apart,

    /// <summary>The same, and the one with others may have published it.</summary>
    ApartAgain,
}

using System.Diagnostics.CodeAnalysis;

namespace Millrace.Transfer;

/// <summary>A small file that waits to travel with others, or is on its way.</summary>
/// <param name="name">Its name in the store.</param>
/// <param name="bytes">Bytes of a request that it takes; to be received, its length as it was listed.</param>
internal class BatchFile(TransferName name, long bytes)
{
    // Its continuation is the caller's code, for which the others do not wait.
    private readonly TaskCompletionSource<BatchOutcome> _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public TransferName Name => name;

    public long Bytes => bytes;

    /// <summary>The request that brings it; null while it waits.</summary>
    public Batch? Batch { get; set; }

    public Task<BatchOutcome> Outcome => _completion.Task;

    public bool TryEnd(BatchOutcome outcome) => _completion.TrySetResult(outcome);

    public void Fail(Exception exception) => _completion.TrySetException(exception);

    public bool TryCancel(CancellationToken cancellationToken) => _completion.TrySetCanceled(cancellationToken);

    /// <summary>Keeps what a request needs of it until <see cref="Release"/>.</summary>
    public virtual void Retain()
    {
    }

    public virtual void Release()
    {
    }

    /// <summary>Its name as a line of a request or an answer has it.</summary>
    public ReadOnlySpan<char> NameBelow(TransferName folder) => name.Value.AsSpan(folder.IsRoot ? 0 : folder.Value.Length + 1);
}

/// <summary>A request that moves several files.</summary>
[SuppressMessage("Design", "CA1001", Justification = "A source without a timer holds nothing, and a caller may still give up when the request has ended.")]
internal sealed class Batch(IReadOnlyList<BatchFile> files)
{
    private readonly CancellationTokenSource _stop = new();
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public IReadOnlyList<BatchFile> Files => files;

    /// <summary>Ends the request when nobody waits for it any more.</summary>
    public CancellationToken Token => _stop.Token;

    /// <summary>Ends when the server receives no more of it.</summary>
    public Task Ended => _ended.Task;

    public void End() => _ended.TrySetResult();

    /// <summary>The caller of one file has given up. The others go on.</summary>
    public void Leave()
    {
        if (files.All(static file => file.Outcome.IsCompleted))
        {
            _stop.Cancel();
        }
    }
}

/// <summary>What became of a <see cref="BatchFile"/>.</summary>
/// <param name="Way">How it goes on.</param>
/// <param name="Tag">The version that was published.</param>
/// <param name="Sha256">Its digest, as the server has it.</param>
/// <param name="Opened">The file that was received.</param>
internal readonly record struct BatchOutcome(BatchWay Way, EntityTag? Tag = null, Sha256Digest? Sha256 = null, OpenedFile? Opened = null);

/// <summary>How a <see cref="BatchFile"/> goes on.</summary>
internal enum BatchWay
{
    /// <summary>It is published, or received.</summary>
    Moved,

    /// <summary>It is alone: with a request of its own, in the turn that it has.</summary>
    Alone,

    /// <summary>With a request of its own: the one with others failed or did not move it.</summary>
    Apart,

    /// <summary>The same, and the one with others may have published it.</summary>
    ApartAgain,
}

using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>Where a download goes.</summary>
internal abstract class DownloadSink : IAsyncDisposable
{
    /// <summary>Takes the bytes.</summary>
    public abstract PipeWriter Writer { get; }

    /// <summary>Bytes to gather before they are flushed.</summary>
    /// <remarks>A file takes whole blocks; whoever reads a pipe or stream waits for what there is.</remarks>
    public virtual int FlushBytes => 1;

    /// <summary>Bytes that an earlier process left, and that count.</summary>
    public virtual long Kept => 0;

    /// <summary>Whether what was taken can be forgotten, because nobody has seen it.</summary>
    public virtual bool CanRestart => false;

    /// <summary>Hands what an earlier process left to a hash.</summary>
    public virtual ValueTask HashKeptAsync(ParallelHash hash, CancellationToken cancellationToken) => default;

    /// <summary>The version that comes is known now.</summary>
    public virtual void Describe(OpenedFile file)
    {
    }

    /// <summary>Forgets what was taken.</summary>
    public virtual ValueTask RestartAsync() => throw new NotSupportedException();

    /// <summary>All of it is there and right.</summary>
    public virtual ValueTask CommitAsync(CancellationToken cancellationToken) => default;

    /// <summary>It failed, and another process is not to continue it.</summary>
    public virtual ValueTask AbandonAsync() => default;

    public abstract ValueTask DisposeAsync();
}

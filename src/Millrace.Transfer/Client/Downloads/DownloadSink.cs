using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>Where a download goes.</summary>
internal abstract class DownloadSink : IAsyncDisposable
{
    /// <summary>Takes the bytes.</summary>
    public abstract PipeWriter Writer { get; }

    /// <summary>Bytes to gather before they are flushed.</summary>
    /// <remarks>A file takes whole blocks; the reader of a pipe or stream waits for available bytes.</remarks>
    public virtual int FlushBytes => 1;

    /// <summary>Bytes of one read at most where so many were taken.</summary>
    public virtual int RoomAt(long taken) => int.MaxValue;

    /// <summary>Bytes of memory that are asked of it for one read at least.</summary>
    public virtual int MinMemory => 16 * 1024;

    /// <summary>An earlier process' record of the file; null if it left none.</summary>
    public virtual PartNote? Note => null;

    /// <summary>Bytes that an earlier process left, and that count.</summary>
    public virtual long Kept => 0;

    /// <summary>Whether the received bytes can be dropped, because they were not delivered yet.</summary>
    public virtual bool CanRestart => false;

    /// <summary>Whether an unknown number of bytes may follow.</summary>
    public virtual bool HasRoom() => true;

    /// <summary>Whether many can be committed at once, because they then wait for the device together, without a thread or a buffer each.</summary>
    public virtual bool SharesCommit => false;

    /// <summary>Whether several ranges can be written at once.</summary>
    public virtual bool TakesRanges => false;

    /// <summary>Whether it keeps holes.</summary>
    public virtual bool TakesHoles => false;

    /// <summary>Hands the first received bytes to a hash.</summary>
    public virtual ValueTask HashAsync(ParallelHash hash, long bytes, CancellationToken cancellationToken) => default;

    /// <summary>The unfinished file, for ranges; its writer is closed, and opened again where it is needed.</summary>
    public virtual ValueTask<PartRecord> UseRangesAsync() => throw new NotSupportedException();

    /// <summary>The version that comes is known now; nothing of it was taken.</summary>
    public virtual void Describe(OpenedFile file, bool mayUseRanges)
    {
    }

    /// <summary>The unfinished file, before anything is known of the version that comes.</summary>
    public virtual ValueTask<PartRecord> UsePartAsync() => throw new NotSupportedException();

    /// <summary>The version that comes, and what of it is missing in the unfinished file.</summary>
    public virtual void Describe(StoredFile file, long[] missing)
    {
    }

    /// <summary>Drops the received bytes.</summary>
    public virtual ValueTask RestartAsync() => throw new NotSupportedException();

    /// <summary>All of it is there and right.</summary>
    /// <param name="modified">When the file was last changed on the server; null if that does not matter here.</param>
    /// <param name="isExecutable">Whether its owner may run it; null if that does not matter here.</param>
    /// <param name="cancellationToken">Ends it before the file has its name.</param>
    public virtual ValueTask CommitAsync(FileTime? modified, bool? isExecutable, CancellationToken cancellationToken) => default;

    /// <summary>It failed, and another process is not to continue it.</summary>
    public virtual ValueTask AbandonAsync() => default;

    public abstract ValueTask DisposeAsync();
}

/// <summary>A pipe of the caller's; completed at the end, unless it wraps the caller's stream.</summary>
internal sealed class PipeSink(PipeWriter writer) : DownloadSink
{
    /// <summary>A stream of the caller's, which is left open.</summary>
    public static PipeSink Of(Stream stream) => new(PipeWriter.Create(
        stream, new StreamPipeWriterOptions(minimumBufferSize: 64 * 1024, leaveOpen: true)));

    public override PipeWriter Writer => writer;

    public override async ValueTask CommitAsync(FileTime? modified, bool? isExecutable, CancellationToken cancellationToken)
    {
        await writer.FlushAsync(cancellationToken).ConfigureAwait(false);
        await writer.CompleteAsync().ConfigureAwait(false);
    }

    public override ValueTask AbandonAsync() =>
        writer.CompleteAsync(new TransferException(TransferError.Failed, "The download failed; the bytes so far are incomplete."));

    public override ValueTask DisposeAsync() => default;
}

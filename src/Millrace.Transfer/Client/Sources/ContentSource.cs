namespace Millrace.Transfer;

/// <summary>The content of an upload: its bytes from any position, and from another one after an interruption.</summary>
internal abstract class ContentSource : IAsyncDisposable
{
    /// <summary>Bytes read and sent at a time: a good size for one system call. See docs/measuring.md.</summary>
    public const int BlockBytes = 256 * 1024;

    /// <summary>Total bytes; null while unknown.</summary>
    public abstract long? Length { get; }

    /// <summary>Most bytes that one request may bring from an offset on, because the source can go back only so far.</summary>
    public virtual long MaxFrom(long offset) => long.MaxValue;

    /// <summary>Whether the whole has no more than so many bytes. To be asked before anything is read.</summary>
    public virtual ValueTask<bool> IsWithinAsync(long bytes, CancellationToken cancellationToken) => ValueTask.FromResult(Length <= bytes);

    /// <summary>Where the next read begins.</summary>
    public abstract long Position { get; }

    /// <summary>Whether reading can begin there.</summary>
    public abstract bool CanSeek(long offset);

    /// <summary>Continues at an offset, if <see cref="CanSeek"/>. Memory from earlier reads is no longer valid.</summary>
    public abstract void Seek(long offset);

    /// <summary>The next bytes, valid until the next call of any member; empty at the end.</summary>
    public abstract ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken);

    /// <summary>The other side has everything in front of this; it is not asked for again.</summary>
    public virtual void Acknowledge(long offset)
    {
    }

    /// <summary>Throws when the content changed since the transfer began.</summary>
    public virtual void ThrowIfChanged()
    {
    }

    /// <summary>Whether <see cref="Fork"/> can be called.</summary>
    public virtual bool CanFork => false;

    /// <summary>
    /// Another reader of the same content, for use at the same time as other ones of these, but not as this one itself.
    /// </summary>
    /// <exception cref="TransferException"><see cref="TransferError.Changed"/>.</exception>
    public virtual ContentSource Fork() => throw new NotSupportedException("This content comes once.");

    public abstract ValueTask DisposeAsync();
}

/// <summary>A part of another source, which stays the caller's.</summary>
internal sealed class PartSource(ContentSource whole, long start, long length) : ContentSource
{
    public override long? Length => length;

    public override long Position => whole.Position - start;

    public override bool CanSeek(long offset) => offset >= 0 && offset <= length;

    public override void Seek(long offset) => whole.Seek(start + offset);

    public override async ValueTask<ReadOnlyMemory<byte>> ReadAsync(CancellationToken cancellationToken)
    {
        long left = length - Position;
        if (left == 0)
        {
            return default;
        }

        ReadOnlyMemory<byte> bytes = await whole.ReadAsync(cancellationToken).ConfigureAwait(false);
        return bytes.Length > left ? bytes[..(int)left] : bytes;
    }

    public override ValueTask DisposeAsync() => default;
}

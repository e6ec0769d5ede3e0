using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;

namespace Millrace;

/// <summary>
/// A file as a <see cref="PipeWriter"/>, from <see cref="FilePipe.Create"/> or <see cref="FilePipe.Append"/>.
/// </summary>
/// <remarks>
/// <para>
/// One caller at a time, as with every PipeWriter; only <see cref="CancelPendingFlush"/> may be called from another
/// thread. Memory from <see cref="GetMemory"/> belongs to the writer and is valid until the next call of any member.
/// </para>
/// <para>
/// A created file has its name once <see cref="CommitAsync"/> says so, and not before: completing or disposing without it
/// leaves nothing behind, and what had the name stays as it was.
/// </para>
/// </remarks>
[DebuggerDisplay("{Path,nq}: position {Position}, {Strategy}")]
public abstract partial class FilePipeWriter : PipeWriter, IAsyncDisposable, IDisposable
{
    private const int CancelFlag = 1;
    private const int CompletedFlag = 2;
    private const int PendingFlag = 4;

    private readonly BlockAllocator _allocator;
    private Block? _block;

    // Indexes in the block: the bytes [_start, _end) were accepted and not yet written.
    private int _start;
    private int _end;
    private int _flags;

    private protected FilePipeWriter(string path, in BlockAllocator allocator)
    {
        Path = path;
        _allocator = allocator;
    }

    /// <summary>The file, as it was given.</summary>
    public string Path { get; }

    /// <summary>The full path that a commit publishes: where a link leads, if <see cref="Path"/> is one.</summary>
    public abstract string TargetPath { get; }

    /// <summary>The open file. It belongs to the writer; bytes up to <see cref="Position"/> less <see cref="UnflushedBytes"/> are in it.</summary>
    public abstract SafeFileHandle Handle { get; }

    /// <summary>What is really done, which may differ from what was asked for; never <see cref="WriteStrategy.Auto"/>.</summary>
    public WriteStrategy Strategy { get; private protected init; }

    /// <summary>Why <see cref="Strategy"/> was chosen, in words for a person.</summary>
    public string StrategyReason { get; private protected init; } = "";

    /// <summary>The incomplete record that was found at the end when the file was opened for appending; else null.</summary>
    public TornTail? TornTail { get; private protected init; }

    /// <summary>
    /// How long the file is with everything accepted so far, in bytes. For appending: how many bytes this writer has
    /// accepted.
    /// </summary>
    public long Position => Written + UnflushedBytes;

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => _end - _start + InFlight;

    /// <summary>Bytes that this writer has handed to the system.</summary>
    private protected long Written { get; set; }

    /// <summary>Bytes that another thread is about to write, and that are no longer in the buffer.</summary>
    private protected long InFlight { get; set; }

    /// <summary>Bytes in the buffer.</summary>
    private protected int Buffered => _end - _start;

    /// <summary>The bytes accepted and not yet written.</summary>
    private protected unsafe ReadOnlySpan<byte> Unflushed =>
        _block is null ? default : new ReadOnlySpan<byte>(BlockPointer + _start, _end - _start);

    /// <summary>Publishes the file under its name, durably unless the options say otherwise, and ends the writing.</summary>
    /// <param name="cancellationToken">
    /// Ends the wait before the name is given, not after: a commit that throws has published nothing, unless the exception
    /// says so. The writer can commit again or be disposed.
    /// </param>
    /// <returns>Length and, when asked for, SHA-256.</returns>
    /// <remarks>
    /// Of a file opened for appending: flushes what is left and closes the file; the length is that of what this writer
    /// has written.
    /// </remarks>
    /// <exception cref="FilePipeException">The file could not be written, flushed or named. What had the name is as it was.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public abstract ValueTask<CommitResult> CommitAsync(CancellationToken cancellationToken = default);

    /// <summary>Makes everything accepted so far durable, whatever <see cref="Durability"/> says, and publishes nothing.</summary>
    /// <param name="cancellationToken">Ends the wait; what was accepted is written by a later flush or by the commit.</param>
    /// <returns>As <see cref="PipeWriter.FlushAsync"/>.</returns>
    /// <remarks>For a file that is to be <see cref="FilePipe.Resume">continued</see> after the machine has failed.</remarks>
    /// <exception cref="FilePipeException">The file could not be written or flushed.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public abstract ValueTask<FlushResult> FlushToDeviceAsync(CancellationToken cancellationToken = default);

    /// <summary>Writes buffers of the caller's to the file without gathering them in this writer's memory, where that is possible.</summary>
    /// <param name="source">Bytes in large pieces. They must not change until this completes.</param>
    /// <param name="cancellationToken">Checked before anything is written.</param>
    /// <returns>A task that completes when all bytes were accepted.</returns>
    /// <remarks>
    /// For programs that have many writers at once: each needs no memory of its own. What was accepted before is written
    /// first. Gathers like <see cref="PipeWriter.WriteAsync"/> where that is not possible.
    /// </remarks>
    /// <exception cref="FilePipeException">The file could not be written.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public abstract ValueTask WriteThroughAsync(ReadOnlySequence<byte> source, CancellationToken cancellationToken = default);

    /// <summary>As <see cref="CommitAsync"/>, and waits for the disk on the calling thread, without a thread-pool hop.</summary>
    /// <returns>As <see cref="CommitAsync"/>.</returns>
    /// <exception cref="FilePipeException">As <see cref="CommitAsync"/>.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public abstract CommitResult Commit();

    /// <inheritdoc/>
    /// <remarks>
    /// At least one block (256 KiB) is gathered before anything is written. A caller that never flushes makes this write
    /// full blocks on the calling thread.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="FilePipeException">The buffer was full and could not be written.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Block block = Reserve(sizeHint);
        return block.Writable[_end..];
    }

    /// <inheritdoc cref="GetMemory"/>
    public override unsafe Span<byte> GetSpan(int sizeHint = 0)
    {
        Block block = Reserve(sizeHint);
        return new Span<byte>(block.Pointer + _end, block.Capacity - _end);
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">Negative, or more than was handed out.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override void Advance(int bytes)
    {
        if (_flags > CancelFlag)
        {
            ThrowIfUnusable();
        }

        if ((uint)bytes > (uint)((_block?.Capacity ?? 0) - _end))
        {
            ThrowAdvance(bytes);
        }

        _end += bytes;
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Ends the pending flush with <see cref="FlushResult.IsCanceled"/>, or the next one. Nothing is lost: what was to be
    /// flushed is written by a later flush or by the commit. Safe from any thread.
    /// </remarks>
    public override void CancelPendingFlush()
    {
        Interlocked.Or(ref _flags, CancelFlag);
        EndWait();
    }

    /// <summary>
    /// Ends the writing. Publishes nothing, whatever <paramref name="exception"/> is: only <see cref="CommitAsync"/>
    /// does. Of a file opened for appending, without an exception, the bytes that are left are flushed first. Calling it
    /// again does nothing.
    /// </summary>
    /// <param name="exception">Why; null if nothing went wrong.</param>
    /// <exception cref="FilePipeException">Appending the last bytes failed.</exception>
    public override void Complete(Exception? exception = null)
    {
        int before = Interlocked.Or(ref _flags, CompletedFlag);
        if ((before & CompletedFlag) != 0)
        {
            return;
        }

        EndWait();
        try
        {
            End(exception);
        }
        finally
        {
            ReleaseBlock();
        }
    }

    /// <summary>The same as <see cref="Complete"/>.</summary>
    public void Dispose()
    {
        Complete();
        GC.SuppressFinalize(this);
    }

    /// <summary>The same as <see cref="PipeWriter.CompleteAsync"/>.</summary>
    public async ValueTask DisposeAsync()
    {
        await CompleteAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    private protected bool IsCompleted => (Volatile.Read(ref _flags) & CompletedFlag) != 0;

    /// <summary>Whether the buffer is to be taken to the file before it takes more.</summary>
    private protected abstract bool IsFull(int buffered);

    /// <summary>
    /// Makes room where <see cref="IsFull"/>: writes, or gives the block away with <see cref="TakeBlock"/>.
    /// </summary>
    private protected abstract void Drain();

    /// <summary>Closes the file. Called once, by <see cref="Complete"/>.</summary>
    private protected abstract void End(Exception? exception);

    /// <summary>A flush waits: end the wait.</summary>
    private protected virtual void EndWait()
    {
    }

    private unsafe byte* BlockPointer => _block!.Pointer;

    /// <summary>Begins an operation that others may not interfere with; <see cref="LeavePending"/> ends it.</summary>
    private protected void EnterPending()
    {
        ThrowIfUnusable();
        Interlocked.Or(ref _flags, PendingFlag);
    }

    /// <summary>The same, unless the operation is part of one that has begun.</summary>
    /// <returns>Whether the caller is to end it.</returns>
    private protected bool TryEnterPending() => (Interlocked.Or(ref _flags, PendingFlag) & PendingFlag) == 0;

    private protected void LeavePending() => Interlocked.And(ref _flags, ~PendingFlag);

    /// <summary>Whether a cancellation was asked for; it is taken back by asking.</summary>
    private protected bool TakeCancellation() =>
        (_flags & CancelFlag) != 0 && (Interlocked.And(ref _flags, ~CancelFlag) & CancelFlag) != 0;

    private protected bool CancellationAsked => (Volatile.Read(ref _flags) & CancelFlag) != 0;

    private protected void ThrowIfCompleted()
    {
        if (IsCompleted)
        {
            throw new InvalidOperationException($"The writer of '{Path}' is completed; create another one.");
        }
    }

    private protected void ThrowIfUnusable()
    {
        ThrowIfCompleted();
        if ((Volatile.Read(ref _flags) & PendingFlag) != 0)
        {
            throw new InvalidOperationException(
                $"A flush of '{Path}' is pending; await it before the next call. One caller at a time may use a writer.");
        }
    }

    /// <summary>The first bytes of the unflushed ones were written.</summary>
    private protected void Consume(int bytes)
    {
        Written += bytes;
        _start += bytes;
        if (_start == _end)
        {
            _start = 0;
            _end = 0;
        }
    }

    /// <summary>Copies to the buffer, however full it is, and writes nothing.</summary>
    private protected unsafe void Gather(ReadOnlySpan<byte> source)
    {
        if (!source.IsEmpty)
        {
            Block block = HaveRoom(source.Length);
            source.CopyTo(new Span<byte>(block.Pointer + _end, block.Capacity - _end));
            _end += source.Length;
        }
    }

    /// <summary>Moves what is left in the buffer to the front of the block, where its memory is warm.</summary>
    private protected unsafe void Compact()
    {
        if (_block is not null && _start > 0)
        {
            new Span<byte>(BlockPointer + _start, _end - _start).CopyTo(new Span<byte>(BlockPointer, _end - _start));
            _end -= _start;
            _start = 0;
        }
    }

    /// <summary>Gives the block and what it holds to the caller; the next bytes go to another one.</summary>
    private protected Block? TakeBlock(out int start, out int end)
    {
        Block? block = _block;
        start = _start;
        end = _end;
        _block = null;
        _start = 0;
        _end = 0;
        return block;
    }

    private protected void ReleaseBlock()
    {
        TakeBlock(out _, out _)?.Release();
    }

    private protected Block Rent() => _allocator.Rent();

    /// <summary>Sees to it that the block has room for so many bytes, at least 1.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private Block Reserve(int sizeHint)
    {
        // One comparison for what is seldom: a negative hint, no room, a full buffer, a writer that is completed.
        return _block is { } block
            && (uint)(sizeHint - 1) < (uint)(block.Capacity - _end)
            && _flags <= CancelFlag
            && !IsFull(_end - _start)
                ? block
                : ReserveSlow(sizeHint);
    }

    private Block ReserveSlow(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        ThrowIfUnusable();
        if (IsFull(_end - _start))
        {
            Drain();
        }

        return HaveRoom(Math.Max(sizeHint, 1));
    }

    private Block HaveRoom(int wanted)
    {
        if (_block is null)
        {
            _block = wanted <= BlockPool.HeadroomBytes + BlockPool.BodyBytes ? _allocator.Rent() : _allocator.RentLarge(wanted);
            return _block;
        }

        if (_block.Capacity - _end < wanted)
        {
            MakeRoom(wanted);
        }

        return _block;
    }

    /// <summary>Moves what is not written to the front, or to a larger block.</summary>
    private unsafe void MakeRoom(int wanted)
    {
        Block old = _block!;
        int kept = _end - _start;
        if (old.Capacity - kept >= wanted)
        {
            new Span<byte>(old.Pointer + _start, kept).CopyTo(new Span<byte>(old.Pointer, kept));
        }
        else
        {
            // Doubling: a byte is moved once per doubling and not again.
            long capacity = Math.Min(Array.MaxLength, Math.Max(2L * kept, (long)kept + wanted));
            Block large = _allocator.RentLarge(checked((int)Math.Max(capacity, (long)kept + wanted)));
            new Span<byte>(old.Pointer + _start, kept).CopyTo(new Span<byte>(large.Pointer, kept));
            _block = large;
            old.Release();
        }

        _start = 0;
        _end = kept;
    }

    private static void ThrowAdvance(int bytes) =>
        throw new ArgumentOutOfRangeException(
            nameof(bytes), bytes, "Advance by more than GetMemory or GetSpan handed out, or by less than nothing.");
}

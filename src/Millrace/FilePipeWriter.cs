using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Security.Cryptography;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Writing;

namespace Millrace;

/// <summary>
/// A new file as a <see cref="PipeWriter"/>, from <see cref="FilePipe.Create"/> or <see cref="FilePipe.Resume"/>.
/// </summary>
/// <remarks>
/// <para>
/// One caller at a time, as with every PipeWriter; only <see cref="CancelPendingFlush"/> may be called from another
/// thread. Memory from <see cref="GetMemory"/> belongs to the writer and is valid until the next call of any member.
/// </para>
/// <para>
/// The file gets its name when <see cref="CommitAsync(CancellationToken)"/> completes: completing or disposing the writer before leaves no
/// file (or, of a resumed file, the unfinished one), and a file of that name is unchanged.
/// </para>
/// </remarks>
[DebuggerDisplay("{Path,nq}: position {Position}, {Strategy}")]
public abstract partial class FilePipeWriter : PipeWriter, IAsyncDisposable, IDisposable
{
    private static readonly byte[] Zeros = new byte[64 * 1024];

    private readonly IncrementalHash? _hash;
    private readonly long _reserved;
    private readonly bool _durable;
    private readonly bool _hashesAtCommit;
    private WriteBuffer _buffer;
    private PipeState _state;
    private FilePipeException? _lost;

    private protected FilePipeWriter(StagedFile file, in FileWriteOptions options, in BlockAllocator allocator)
    {
        File = file;
        if (options.BlockBytes > 0)
        {
            file.MaxAtOnce = options.BlockBytes;
        }

        if (!options.KeepCached)
        {
            file.KeepOutOfCache();
        }

        Written = file.Keeps ? RandomAccess.GetLength(file.Handle) : 0;
        _buffer = new WriteBuffer(allocator, Written);
        _reserved = options.PreallocationSize;
        _durable = options.Durability != Durability.None;
        FlushesDurably = options.Durability == Durability.EveryFlush;
        if (options.ComputeSha256)
        {
            _hashesAtCommit = Written > 0;
            _hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        }
    }

    /// <summary>The file, as it was given.</summary>
    public string Path => File.Path;

    /// <summary>The full path that a commit publishes: where a link leads, if <see cref="Path"/> is one.</summary>
    public string TargetPath => File.Target;

    /// <summary>
    /// The open file. It belongs to the writer; bytes up to <see cref="Position"/> less <see cref="UnflushedBytes"/> are in it,
    /// except with <see cref="WriteStrategy.Direct"/>, which keeps and writes blocks after a flush.
    /// </summary>
    public SafeFileHandle Handle => File.Handle;

    /// <summary>The strategy in use, which may differ from the requested one; never <see cref="WriteStrategy.Auto"/>.</summary>
    public WriteStrategy Strategy { get; private protected init; }

    /// <summary>Why <see cref="Strategy"/> was chosen, in plain words.</summary>
    public string StrategyReason { get; private protected init; } = "";

    /// <summary>How long the file is with everything accepted so far, in bytes.</summary>
    public long Position => Written + Gathered;

    /// <inheritdoc/>
    public override bool CanGetUnflushedBytes => true;

    /// <inheritdoc/>
    public override long UnflushedBytes => Gathered;

    /// <summary>Bytes that were accepted and not handed to the system.</summary>
    internal long Gathered => _buffer.Count + InFlight;

    internal StagedFile File { get; }

    private protected bool FlushesDurably { get; }

    /// <summary>Bytes that this writer has handed to the system.</summary>
    private protected long Written { get; set; }

    /// <summary>Bytes that another thread is about to write, and that are no longer in the buffer.</summary>
    private protected long InFlight { get; set; }

    private protected ref WriteBuffer Buffer => ref _buffer;

    private protected ref PipeState State => ref _state;

    /// <summary>A full buffer is written before it takes more.</summary>
    private protected bool IsFull => _buffer.Count >= BlockPool.BodyBytes;

    /// <summary>Makes everything accepted so far durable, regardless of <see cref="Durability"/>, and publishes nothing.</summary>
    /// <param name="cancellationToken">Ends the wait; a later flush or the commit writes the accepted bytes.</param>
    /// <returns>As <see cref="PipeWriter.FlushAsync"/>.</returns>
    /// <remarks>For a file that is to be <see cref="FilePipe.Resume">resumed</see> after the machine has failed.</remarks>
    /// <exception cref="FilePipeException">The file could not be written or flushed.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public ValueTask<FlushResult> FlushToDeviceAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<FlushResult>(cancellationToken)
            : FlushAllAsync(durable: true, cancellationToken);
    }

    /// <summary>Writes the caller's buffers to the file without gathering them in this writer's memory, if possible.</summary>
    /// <param name="source">Bytes in large pieces. They must not change until this completes.</param>
    /// <param name="cancellationToken">Checked before anything is written.</param>
    /// <returns>A task that completes when all bytes were accepted.</returns>
    /// <remarks>
    /// For programs that have many writers at once: no writer needs a buffer. Bytes accepted before are written
    /// first. Gathers like <see cref="PipeWriter.WriteAsync"/> where that is not possible.
    /// </remarks>
    /// <exception cref="FilePipeException">The file could not be written.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public virtual async ValueTask WriteThroughAsync(ReadOnlySequence<byte> source, CancellationToken cancellationToken = default)
    {
        foreach (ReadOnlyMemory<byte> segment in source)
        {
            await WriteAsync(segment, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Appends zeros: as a hole, which takes no space, where the strategy and the file system can.</summary>
    /// <param name="count">How many, 0 or more.</param>
    /// <param name="cancellationToken">Ends it; some of the zeros may have been appended then.</param>
    /// <returns>A task that completes when the zeros were accepted.</returns>
    /// <remarks>
    /// <see cref="WriteStrategy.Direct"/> writes them. Bytes that were accepted before are written first, so that many short holes cost a call each.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative, or the file would be longer than any can be.</exception>
    /// <exception cref="FilePipeException">The file could not be written or made longer.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    /// <exception cref="OperationCanceledException">The token was canceled in time.</exception>
    public async ValueTask WriteZerosAsync(long count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, long.MaxValue - Position);
        cancellationToken.ThrowIfCancellationRequested();
        if (count > 0 && MakesHoles)
        {
            EnterPending();
            try
            {
                await WriteAllAsync(cancellationToken).ConfigureAwait(false);
                if (_reserved > Written)
                {
                    // Reserved space would be no hole.
                    File.SetLength(Written);
                }

                File.SetLength(Written + count);
                HashZeros(count);
                Pass(count);
                OnWritten();
            }
            finally
            {
                _ = _state.Leave();
            }

            return;
        }

        for (; count > 0; count -= Zeros.Length)
        {
            await WriteAsync(Zeros.AsMemory(0, (int)Math.Min(count, Zeros.Length)), cancellationToken).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    /// <remarks>
    /// At least one block (256 KiB) is gathered before anything is written. If the caller never flushes, this writes full
    /// blocks on the calling thread.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="FilePipeException">The buffer was full and could not be written.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.FreeMemory;
    }

    /// <inheritdoc cref="GetMemory"/>
    public override Span<byte> GetSpan(int sizeHint = 0)
    {
        Reserve(sizeHint);
        return _buffer.FreeSpan;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException">Negative, or more than was handed out.</exception>
    /// <exception cref="InvalidOperationException">The writer is completed, or a flush is pending.</exception>
    public override void Advance(int bytes)
    {
        if (!_state.IsUsable)
        {
            ThrowIfUnusable();
        }

        _buffer.Advance(bytes);
    }

    /// <inheritdoc/>
    /// <remarks>
    /// Ends the pending flush with <see cref="FlushResult.IsCanceled"/>, or the next one. Nothing is lost: a later flush or the
    /// commit writes the bytes. Safe from any thread.
    /// </remarks>
    public override void CancelPendingFlush()
    {
        _state.Cancel();
        EndWait();
    }

    /// <summary>
    /// Ends the writing. Publishes nothing, whatever <paramref name="exception"/> is: only <see cref="CommitAsync(CancellationToken)"/>
    /// does. Calling it again does nothing.
    /// </summary>
    /// <param name="exception">Why; null if nothing went wrong. Of a resumed file the bytes that are left are written then.</param>
    /// <exception cref="FilePipeException">Writing the last bytes of a resumed file failed.</exception>
    public override void Complete(Exception? exception = null)
    {
        if (!_state.TryComplete(out _))
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
            _buffer.Release();
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

    /// <summary>Whether the file can be made longer without writing.</summary>
    private protected virtual bool MakesHoles => false;

    /// <summary>Makes room in a full buffer: writes, or gives its block away.</summary>
    private protected abstract void Drain();

    /// <summary>Closes the file. Called once, by <see cref="Complete"/>.</summary>
    private protected abstract void End(Exception? exception);

    /// <summary>Ends the wait of a pending flush.</summary>
    private protected abstract void EndWait();

    /// <summary>Takes everything accepted so far to the file, on this thread. Returns when no other is at work on it.</summary>
    private protected abstract void WriteAll();

    /// <summary>Takes everything accepted so far to the file. Completes when no other thread is at work on it.</summary>
    private protected abstract ValueTask WriteAllAsync(CancellationToken cancellationToken);

    private protected abstract ValueTask<FlushResult> FlushAllAsync(bool durable, CancellationToken cancellationToken);

    /// <summary>Flushes a full buffer of <see cref="WriteInPiecesAsync"/>, or the rest of it.</summary>
    private protected abstract ValueTask<FlushResult> FlushPieceAsync(bool last, CancellationToken cancellationToken);

    /// <summary>
    /// Copies a source to the writer's own memory, a block at a time: a flush on the pool can be abandoned, and the
    /// caller may use its memory again then.
    /// </summary>
    private protected async ValueTask<FlushResult> WriteInPiecesAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken)
    {
        while (true)
        {
            int piece = Math.Min(source.Length, Math.Max(0, BlockPool.BodyBytes - Buffer.Count));
            Buffer.Add(source.Span[..piece]);
            source = source[piece..];
            FlushResult result = await FlushPieceAsync(source.IsEmpty, cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled || source.IsEmpty)
            {
                Buffer.Add(source.Span);
                return result;
            }
        }
    }

    /// <summary>More bytes are in the file.</summary>
    private protected virtual void OnWritten()
    {
    }

    /// <summary>Begins an operation that others may not interfere with; <see cref="PipeState.Leave"/> ends it.</summary>
    private protected void EnterPending()
    {
        ThrowIfUnusable();
        _ = _state.TryEnter();
    }

    private protected void ThrowIfCompleted() => _state.ThrowIfCompleted(reads: false, Path);

    private protected void ThrowIfUnusable() => _state.ThrowIfUnusable(reads: false, Path);

    /// <summary>The first bytes of the buffer were written.</summary>
    private protected void Consume(int bytes)
    {
        Written += bytes;
        _buffer.Consume(bytes);
    }

    /// <summary>Bytes were written past the buffer, which is empty.</summary>
    private protected void Pass(long bytes)
    {
        Written += bytes;
        _buffer.Place(Written);
    }

    /// <summary>Counts the written bytes, in file order.</summary>
    private protected void Hash(ReadOnlySpan<byte> written)
    {
        if (!_hashesAtCommit)
        {
            _hash?.AppendData(written);
        }
    }

    private void HashZeros(long count)
    {
        for (; count > 0 && _hash is not null && !_hashesAtCommit; count -= Zeros.Length)
        {
            _hash.AppendData(Zeros.AsSpan(0, (int)Math.Min(count, Zeros.Length)));
        }
    }

    /// <summary>
    /// Makes the written bytes durable, on the calling thread. A failure is permanent: the system forgets which pages it could
    /// not write, and would call the next flush a success. https://lwn.net/Articles/752063/
    /// </summary>
    private protected void FlushToDevice()
    {
        if (_lost is not null)
        {
            throw _lost;
        }

        try
        {
            File.Flush();
        }
        catch (FilePipeException exception)
        {
            _lost = exception;
            throw;
        }
    }

    private protected void Close()
    {
        _hash?.Dispose();
        File.Dispose();
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Reserve(int sizeHint)
    {
        if (!_buffer.Fits(sizeHint) || !_state.IsUsable || IsFull)
        {
            ReserveSlow(sizeHint);
        }
    }

    private void ReserveSlow(int sizeHint)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        ThrowIfUnusable();
        if (IsFull)
        {
            Drain();
        }

        _buffer.Reserve(Math.Max(sizeHint, 1));
    }
}

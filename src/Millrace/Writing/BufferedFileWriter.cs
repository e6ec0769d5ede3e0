using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Writing;

/// <summary>
/// Writes to the page cache: on the calling thread, which is a copy in memory, as long as the kernel takes the bytes at
/// that speed; on the pool once it makes a writer wait, and for flushes to the device.
/// </summary>
internal sealed class BufferedFileWriter : FilePipeWriter
{
    /// <summary>From this length on, in bytes, a chunk is written from the caller's memory and not gathered.</summary>
    /// <remarks>
    /// A write of 256 KiB costs the kernel so much less than four of 64 KiB that copying those together pays: 4 MiB took
    /// 0.90 ms against 1.06. See docs/measuring.md.
    /// </remarks>
    internal const int LargeChunk = BlockPool.BodyBytes / 2;

    /// <summary>How long a write may take beside its copying before it counts as waiting for a device, in milliseconds.</summary>
    /// <remarks>Above the 4 ms by which the cheap clock may be wrong, and for which a thread may lose its processor.</remarks>
    private const int SlowMilliseconds = 10;

    /// <summary>Bytes a millisecond that even a slow machine copies to its page cache.</summary>
    private const int SlowMemory = 200_000;

    private readonly WriteBehind? _behind;
    private FlushWork? _work;
    private AsyncWait? _wait;
    private bool _slow;

    public BufferedFileWriter(StagedFile file, in FileWriteOptions options, WriteStrategy strategy, string reason)
        : base(file, options, new BlockAllocator(options.Pool))
    {
        Strategy = strategy;
        StrategyReason = reason;
        if (strategy == WriteStrategy.WriteBehind || file.Pages == CachedPages.Dropped)
        {
            _behind = new WriteBehind(file.Handle, file.Pages == CachedPages.Dropped);
        }
    }

    private protected override bool MakesHoles => true;

    private bool IsBusy => _work is { } work && work.State != FlushState.Idle;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        WriteAsync(default, gathers: false, cancellationToken);

    /// <remarks>
    /// A chunk of 128 KiB and more is written together with the gathered bytes, without copying it. A smaller one is
    /// gathered, unless flushes are to be durable: the file is not visible before it is committed, so there is no reader to write
    /// it for. When the writer is canceled by <see cref="PipeWriter.CancelPendingFlush"/>, it has accepted the bytes all
    /// the same.
    /// </remarks>
    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default) =>
        WriteAsync(source, gathers: !FlushesDurably && source.Length < LargeChunk, cancellationToken);

    private ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, bool gathers, CancellationToken cancellationToken)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (State.TakeCancellation())
        {
            Buffer.Add(source.Span);
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        try
        {
            if (gathers && !IsFull)
            {
                Buffer.Add(source.Span);
                return default;
            }

            if (_slow || IsBusy)
            {
                return WriteInPiecesAsync(source, cancellationToken);
            }

            if (gathers)
            {
                Drain();
                Buffer.Add(source.Span);
                return default;
            }

            WriteNow(source.Span);
            return FlushesDurably ? FlushAllAsync(durable: true, cancellationToken) : default;
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException<FlushResult>(exception);
        }
    }

    public override ValueTask WriteThroughAsync(ReadOnlySequence<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (FlushesDurably || IsBusy || Buffer.Count > 0)
        {
            return base.WriteThroughAsync(source, cancellationToken);
        }

        if (_slow)
        {
            return WriteThroughOnPoolAsync(source);
        }

        try
        {
            WriteSegments(source);
            return default;
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException(exception);
        }
    }

    /// <summary>
    /// The device makes writes wait, which is not for the caller's thread. The bytes stay the caller's, so the caller must not go
    /// away meanwhile: this is not canceled.
    /// </summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask WriteThroughOnPoolAsync(ReadOnlySequence<byte> source)
    {
        EnterPending();
        try
        {
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
            WriteSegments(source);
        }
        finally
        {
            _ = State.Leave();
        }
    }

    /// <summary>Two segments a call.</summary>
    private void WriteSegments(in ReadOnlySequence<byte> source)
    {
        SequencePosition position = source.Start;
        while (source.TryGet(ref position, out ReadOnlyMemory<byte> first))
        {
            _ = source.TryGet(ref position, out ReadOnlyMemory<byte> second);
            WriteTimed(first.Span, second.Span);
            Pass(first.Length + second.Length);
        }
    }

    private protected override void OnWritten() => _behind?.Reached(Written);

    private protected override void Drain()
    {
        if (IsBusy)
        {
            WaitForPool(_work!);
        }

        // Up to a whole page: the rest is written together with the next bytes.
        int bytes = Buffer.Count - (int)((Written + Buffer.Count) % BlockPool.Alignment);
        ReadOnlySpan<byte> whole = Buffer.Bytes[..bytes];
        WriteTimed(whole, default);
        Consume(bytes);
        Buffer.Compact();
    }

    private protected override void EndWait() => _wait?.End();

    private protected override void End(Exception? exception)
    {
        if (File is { Keeps: true, Published: false } && exception is null && !IsBusy)
        {
            KeepRest();
            return;
        }

        if (_work is null || !_work.CloseWhenIdle())
        {
            Close();
        }
    }

    /// <summary>The accepted bytes are part of the file to resume.</summary>
    private void KeepRest()
    {
        try
        {
            WriteNow(default);
        }
        finally
        {
            Close();
        }
    }

    private protected override async ValueTask WriteAllAsync(CancellationToken cancellationToken)
    {
        if (_slow || IsBusy)
        {
            FlushResult result = await FlushAllAsync(durable: false, cancellationToken).ConfigureAwait(false);
            if (result.IsCanceled)
            {
                throw new OperationCanceledException($"Committing '{Path}' was canceled; nothing was published.");
            }
        }

        WriteNow(default);
    }

    private protected override void WriteAll()
    {
        if (IsBusy)
        {
            WaitForPool(_work!);
        }

        WriteNow(default);
    }

    internal void WriteOnPool(ReadOnlySpan<byte> bytes, long offset)
    {
        long began = Environment.TickCount64;
        File.Write(bytes, default, offset);
        _slow = IsSlow(began, bytes.Length);
        Hash(bytes);
    }

    internal void FlushOnPool() => FlushToDevice();

    internal void CloseOnPool() => Close();

    private void WriteNow(ReadOnlySpan<byte> source)
    {
        if (Buffer.Count + source.Length > 0)
        {
            WriteTimed(Buffer.Bytes, source);
            Consume(Buffer.Count);
            Pass(source.Length);
        }
    }

    private void WriteTimed(ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        // The cheap clock: this is done for every write.
        long began = Environment.TickCount64;
        File.Write(first, second, Written);
        _slow = IsSlow(began, (long)first.Length + second.Length);
        Hash(first);
        Hash(second);
        _behind?.Reached(Written + first.Length + second.Length);
    }

    private static bool IsSlow(long began, long bytes) =>
        Environment.TickCount64 - began > SlowMilliseconds + (bytes / SlowMemory);

    private protected override ValueTask<FlushResult> FlushPieceAsync(bool last, CancellationToken cancellationToken) =>
        FlushAllAsync(FlushesDurably && last, cancellationToken);

    /// <summary>Makes the pool write the gathered bytes, after those of an abandoned flush, and flush.</summary>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private protected override async ValueTask<FlushResult> FlushAllAsync(bool durable, CancellationToken cancellationToken)
    {
        FlushWork work = _work ??= new FlushWork(this);
        AsyncWait wait = _wait ??= new AsyncWait();
        bool owner = State.TryEnter();
        try
        {
            bool begun = false;
            while (true)
            {
                switch (work.State)
                {
                    case FlushState.Running:
                        await WaitAsync(work, wait, cancellationToken).ConfigureAwait(false);
                        ThrowIfCompleted();
                        if (State.TakeCancellation())
                        {
                            return new FlushResult(isCanceled: true, isCompleted: false);
                        }

                        break;
                    case FlushState.Ended:
                        Collect(work);
                        break;
                    case FlushState.Failed:
                        work.Again();
                        break;
                    default:
                        if (begun)
                        {
                            return default;
                        }

                        begun = true;
                        Begin(work, durable);
                        break;
                }
            }
        }
        finally
        {
            work.Disarm();
            if (owner)
            {
                _ = State.Leave();
            }
        }
    }

    private ValueTask WaitAsync(FlushWork work, AsyncWait wait, CancellationToken cancellationToken)
    {
        wait.Begin(cancellationToken);
        if (!work.Arm(wait) || State.EndsWaits)
        {
            // It has ended, or the wait was given up, since the last check.
            wait.End();
        }

        return wait.Task();
    }

    private void WaitForPool(FlushWork work)
    {
        using var done = new BlockingWait();
        while (work.State != FlushState.Idle)
        {
            done.Reset();
            if (work.State == FlushState.Failed)
            {
                work.Again();
            }

            if (work.Arm(done))
            {
                done.Wait();
            }

            Collect(work);
        }
    }

    private void Begin(FlushWork work, bool durable)
    {
        Block? block = Buffer.Take(out int start, out int end);
        InFlight = end - start;
        work.Begin(block, start, end, Written, durable);
    }

    /// <summary>Takes the pool's work into account; the next flush retries a failed write.</summary>
    private void Collect(FlushWork work)
    {
        Written += work.Collect();
        InFlight = 0;
        _behind?.Reached(Written);
    }
}

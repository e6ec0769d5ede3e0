using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.Win32.SafeHandles;
using Millrace.Buffers;
using Millrace.Interop;
using Millrace.Sources;

namespace Millrace.Writing;

/// <summary>
/// Writes whole blocks past the page cache (O_DIRECT), several in flight on pool threads. The rest at the end goes
/// through the page cache, because such writes are of whole pages.
/// </summary>
internal sealed class DirectFileWriter : FilePipeWriter
{
    /// <summary>How far ahead the file is made longer, in bytes.</summary>
    /// <remarks>
    /// Writes that make a file longer are made one at a time by the kernel; inside of its length they overlap.
    /// </remarks>
    private const long ExtendBy = 64 * 1024 * 1024;

    private readonly DirectLanes _lanes;
    private AsyncWait? _wait;
    private long _extended;
    private long _flushed;
    private bool _extends = true;

    private DirectFileWriter(StagedFile file, in FileWriteOptions options, SafeFileHandle direct)
        : base(file, options, new BlockAllocator(foreign: null, BlockPool.Direct))
    {
        _lanes = new DirectLanes(file, direct);
        Strategy = WriteStrategy.Direct;
        StrategyReason = "asked for";
    }

    /// <remarks>
    /// Bytes that a flush keeps for a whole block are not counted: a producer that flushes until little is unflushed, as
    /// System.Text.Json does, would never end.
    /// </remarks>
    public override long UnflushedBytes => Math.Min(Gathered, Position - _flushed);

    /// <returns>Null, or why it cannot be had, in words for a person.</returns>
    public static string? TryCreate(StagedFile file, in FileWriteOptions options, out DirectFileWriter? writer)
    {
        writer = null;
        if (!file.Native)
        {
            return "the system has no calls for it";
        }

        string? refusal = DirectOpen.TryReopen(file.Handle, write: true, out SafeFileHandle? direct, out int alignment);
        if (refusal is not null)
        {
            return refusal;
        }

        if (alignment > BlockPool.Alignment)
        {
            direct!.Dispose();
            return $"the file system asks for writes of multiples of {alignment} bytes";
        }

        writer = new DirectFileWriter(file, options, direct!);
        return null;
    }

    /// <remarks>
    /// Completes when there is room for another block, unless flushes are to be durable: then when everything is on the
    /// device. A write error may be reported by a later flush, or by the commit.
    /// </remarks>
    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (State.TakeCancellation())
        {
            return new ValueTask<FlushResult>(new FlushResult(isCanceled: true, isCompleted: false));
        }

        try
        {
            if (FlushesDurably || !TryHandOver())
            {
                return FlushCoreAsync(all: FlushesDurably, FlushesDurably, cancellationToken);
            }

            _flushed = Position;
            return default;
        }
        catch (FilePipeException exception)
        {
            return ValueTask.FromException<FlushResult>(exception);
        }
    }

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        ThrowIfUnusable();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<FlushResult>(cancellationToken);
        }

        if (State.IsCancellationRequested || source.Length + Buffer.Count < BlockPool.BodyBytes)
        {
            Buffer.Add(source.Span);
            return FlushAsync(cancellationToken);
        }

        return WriteInPiecesAsync(source, cancellationToken);
    }

    private protected override void Drain()
    {
        while (!TryHandOver())
        {
            using var free = new BlockingWait();
            if (_lanes.Arm(free, all: false))
            {
                free.Wait();
            }
        }
    }

    private protected override void EndWait() => _wait?.End();

    private protected override void End(Exception? exception) => _lanes.CloseWhenIdle(Close);

    private protected override ValueTask<FlushResult> FlushAllAsync(bool durable, CancellationToken cancellationToken) =>
        FlushCoreAsync(all: true, durable, cancellationToken);

    private protected override async ValueTask WriteAllAsync(CancellationToken cancellationToken)
    {
        FlushResult result = await FlushCoreAsync(all: true, durable: false, cancellationToken).ConfigureAwait(false);
        if (result.IsCanceled)
        {
            throw new OperationCanceledException($"Committing '{Path}' was canceled; nothing was published.");
        }

        WriteRest();
    }

    private protected override void WriteAll()
    {
        Drain();
        using var idle = new BlockingWait();
        if (_lanes.Arm(idle, all: true))
        {
            idle.Wait();
        }

        _lanes.ThrowIfFailed();
        WriteRest();
    }

    private protected override ValueTask<FlushResult> FlushPieceAsync(bool last, CancellationToken cancellationToken) =>
        FlushAsync(cancellationToken);

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<FlushResult> FlushCoreAsync(bool all, bool durable, CancellationToken cancellationToken)
    {
        AsyncWait wait = _wait ??= new AsyncWait();
        bool owner = State.TryEnter();
        try
        {
            while (!TryHandOver() || (all && !_lanes.IsIdle))
            {
                wait.Begin(cancellationToken);
                if (!_lanes.Arm(wait, all) || State.EndsWaits)
                {
                    wait.End();
                }

                await wait.Task().ConfigureAwait(false);
                ThrowIfCompleted();
                if (State.TakeCancellation())
                {
                    return new FlushResult(isCanceled: true, isCompleted: false);
                }
            }

            _lanes.ThrowIfFailed();
            if (durable)
            {
                WriteRestForNow();
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                FlushToDevice();
            }

            _flushed = Position;
            return default;
        }
        finally
        {
            _lanes.Disarm();
            if (owner)
            {
                _ = State.Leave();
            }
        }
    }

    /// <summary>Starts to write the whole pages of a full buffer. False when every lane is busy.</summary>
    private unsafe bool TryHandOver()
    {
        _lanes.ThrowIfFailed();
        int bytes = Buffer.Count & -BlockPool.Alignment;
        if (!IsFull)
        {
            return true;
        }

        if (!_lanes.HasFree)
        {
            return false;
        }

        Extend(bytes);
        Hash(Buffer.Bytes[..bytes]);
        Block block = Buffer.Take(out int start, out int end)!;
        Written += bytes;
        Buffer.Place(Written);
        Buffer.Add(new ReadOnlySpan<byte>(block.Pointer + start + bytes, end - start - bytes));
        _lanes.Begin(block, start, bytes, Written - bytes);
        return true;
    }

    private void Extend(int bytes)
    {
        if (!_extends || Written + bytes <= _extended)
        {
            return;
        }

        long step = Math.Max(ExtendBy, Written + bytes - _extended);
        _extends = FileSpace.Extend(File.Handle, _extended, step) == 0;
        _extended += step;
        if (!_extends)
        {
            // Refused by some file systems, and by a device with less room than that, which has used its room until
            // then: release it. The writes are only slower now.
            File.SetLength(Written);
        }
    }

    /// <summary>The last bytes, through the page cache; then the file is as long as they say.</summary>
    private void WriteRest()
    {
        if (Buffer.Count > 0)
        {
            Hash(Buffer.Bytes);
            File.Write(Buffer.Bytes, default, Written);
            Consume(Buffer.Count);
        }

        if (_extended > Written)
        {
            File.SetLength(Written);
        }
    }

    /// <summary>The same, but they stay: their page is written whole when the rest of it is there.</summary>
    private void WriteRestForNow()
    {
        if (Buffer.Count > 0)
        {
            File.Write(Buffer.Bytes, default, Written);
        }
    }
}

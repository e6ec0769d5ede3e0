using System.Buffers;
using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer;

/// <content>Several ranges at once.</content>
internal sealed partial class Download
{
    /// <summary>How often the missing ranges are recorded: a killed process fetches at most this much twice.</summary>
    private const long BytesBetweenNotes = 4 * 1024 * 1024;

    /// <summary>Bytes between two notes for each end of a missing range: a long note must not cost more than it saves.</summary>
    private const long NoteBytesPerEnd = 256;

    /// <summary>Parts that one request asks for: more of them servers may refuse as an attack.</summary>
    private const int MaxRanges = 48;

    /// <summary>Their bytes together: longer ones are worth a request each.</summary>
    private const long MaxRangesBytes = 2 * 1024 * 1024;

    private volatile bool _oneByOne;
    private long[]? _missing;
    private bool _mayUseRanges;
    private long _noted;

    private bool MayUseRanges(OpenedFile file) =>
        _sink.TakesRanges && _range is null && _context.Options.MaxConnections > 1
        && file is { Tag: not null, Length: > Upload.WholeBytes } && file.RoundTrip >= RangeRule.MinRoundTrip;

    private async ValueTask FetchRangesAsync(IdleWatch watch)
    {
        watch.Pause();
        PartRecord part = await _sink.UseRangesAsync().ConfigureAwait(false);
        var queue = new RangeQueue(_missing);
        long length = _length!.Value;
        part.SaveMissing(queue.Missing());
        using (SafeFileHandle handle = File.OpenHandle(
            part.PartPath, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete))
        {
            RandomAccess.SetLength(handle, length);
            Task FetchAsync(CancellationToken token) => FetchPiecesAsync(queue, handle, part, token);
            try
            {
                await ParallelWork.RunAsync(
                    Enumerable.Repeat(FetchAsync, _context.Options.MaxConnections), watch.Caller).ConfigureAwait(false);
            }
            catch (TransferException exception) when (exception.Error is TransferError.Changed or TransferError.RangeNotSatisfiable)
            {
                await RestartAsync().ConfigureAwait(false);
                throw Failures.Make(
                    TransferError.Changed, Call, "it was replaced on the server meanwhile; it starts over.", exception, isTransient: true);
            }
            finally
            {
                if (_missing is not null)
                {
                    _missing = queue.Missing();
                    part.SaveMissing(_missing);
                }
            }
        }

        _taken = length;
        if (_hash is not null)
        {
            // From the page cache; parts that come in any order cannot be hashed beside.
            await _hash.DrainAsync().ConfigureAwait(false);
            _hash.Reset();
            await _sink.HashAsync(_hash, length, watch.Caller).ConfigureAwait(false);
        }

        _keptIsHashed = true;
    }

    private async Task FetchPiecesAsync(
        RangeQueue queue, SafeFileHandle handle, PartRecord part, CancellationToken cancellationToken)
    {
        using IMemoryOwner<byte> block = AlignedMemoryPool.Shared.Rent(ContentSource.BlockBytes);
        while (!_oneByOne && queue.TakeShort(MaxRanges, MaxRangesBytes) is { Count: > 0 } pieces)
        {
            await _context.Retry.RunAsync(
                async (state, token) =>
                {
                    await FetchShortAsync(queue, pieces, handle, part, block.Memory, state, token).ConfigureAwait(false);
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
        }

        while (queue.Take() is { } piece)
        {
            await _context.Retry.RunAsync(
                async (state, token) =>
                {
                    await FetchPieceAsync(queue, piece, handle, part, block.Memory, state, token)
                        .ConfigureAwait(false);
                    return true;
                },
                cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Fetches short parts with one request, as a delta has them: a round trip for each would cost more than its bytes.</summary>
    private async ValueTask FetchShortAsync(
        RangeQueue queue, List<RangeQueue.Piece> pieces, SafeFileHandle handle, PartRecord part, Memory<byte> memory,
        RetryState state, CancellationToken cancellationToken)
    {
        pieces.RemoveAll(piece => queue.LeftOf(piece) == 0);
        if (pieces.Count > 1 && !_oneByOne)
        {
            using IdleWatch watch = _context.Watch(cancellationToken);
            ByteRange[] wanted = [.. pieces.Select(piece => new ByteRange(piece.Next, queue.LeftOf(piece)))];
            using OpenedRanges? opened = await _context.Protocol.OpenAsync(_name, wanted, _tag!.Value, watch).ConfigureAwait(false);
            if (opened is not null)
            {
                await CopyAsync(opened, queue, pieces, handle, part, memory, state, watch).ConfigureAwait(false);
                pieces.RemoveAll(piece => queue.LeftOf(piece) == 0);
                if (pieces.Count > 0)
                {
                    throw Failures.Disconnected(Call, null, $"{pieces.Count} of {wanted.Length} parts did not come");
                }

                return;
            }

            _oneByOne = true;
        }

        foreach (RangeQueue.Piece piece in pieces)
        {
            await FetchPieceAsync(queue, piece, handle, part, memory, state, cancellationToken).ConfigureAwait(false);
        }
    }

    private async ValueTask CopyAsync(
        OpenedRanges opened, RangeQueue queue, List<RangeQueue.Piece> pieces, SafeFileHandle handle, PartRecord part, Memory<byte> memory,
        RetryState state, IdleWatch watch)
    {
        if (opened.Tag != _tag)
        {
            throw Changed();
        }

        _modified ??= opened.Modified;
        long received = 0;
        while (await ReadAsync(() => opened.NextAsync(watch.Token), watch).ConfigureAwait(false) is { } range)
        {
            RangeQueue.Piece piece = pieces.Find(piece => piece.Next == range.Offset)
                ?? throw Failures.Protocol(Call, $"bytes starting at {range.Offset} were received, which were not requested");
            long at = range.Offset;
            int room = Math.Min(ContentSource.BlockBytes, watch.Rate?.MaxBytes ?? int.MaxValue);
            int read;
            while ((read = await ReadAsync(() => opened.ReadAsync(memory[..room], watch.Token), watch).ConfigureAwait(false)) > 0)
            {
                await watch.PaceAsync(read).ConfigureAwait(false);

                // Another connection may have taken the end of it meanwhile.
                int kept = (int)Math.Min(read, queue.LeftOf(piece));
                watch.Pause();
                await RandomAccess.WriteAsync(handle, memory[..kept], at, watch.Token).ConfigureAwait(false);
                at += read;
                received += kept;
                state.Reached(received);
                if (kept > 0)
                {
                    Report(part, queue, queue.Advance(piece, kept), kept);
                }
            }
        }
    }

    private async ValueTask<T> ReadAsync<T>(Func<ValueTask<T>> read, IdleWatch watch)
    {
        watch.Touch();
        try
        {
            return await read().ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is IOException and not TransferException or OperationCanceledException or HttpRequestException)
        {
            throw Failures.Translate(exception, Call, watch);
        }
    }

    private async ValueTask FetchPieceAsync(
        RangeQueue queue, RangeQueue.Piece piece, SafeFileHandle handle, PartRecord part, Memory<byte> memory,
        RetryState state, CancellationToken cancellationToken)
    {
        long left = queue.LeftOf(piece);
        if (left == 0)
        {
            return;
        }

        using IdleWatch watch = _context.Watch(cancellationToken);
        long at = piece.Next;
        using OpenedFile file = await _context.Protocol
            .OpenAsync(_name, new ByteRange(at, left), _tag, digest: false, watch).ConfigureAwait(false);
        if (file.Tag != _tag || file.Length != _length)
        {
            throw Changed();
        }

        // A download that another process began has no other source for it.
        _modified ??= file.Modified;
        if (file.Offset != at)
        {
            throw Failures.Protocol(Call, $"bytes starting at {at} were requested, but those starting at {file.Offset} were received");
        }

        while ((left = queue.LeftOf(piece)) > 0)
        {
            // Whole blocks of the file, from memory that lies in its pages as they do in the file's: docs/measuring.md.
            int room = (int)Math.Min(left, ContentSource.BlockBytes - (at % ContentSource.BlockBytes));
            Memory<byte> next = memory.Slice((int)(at % Environment.SystemPageSize), room);
            int read = await ReadAsync(file, next, watch).ConfigureAwait(false);
            if (read == 0)
            {
                throw Failures.Disconnected(Call, null, $"it ended at byte {at}");
            }

            watch.Pause();
            await RandomAccess.WriteAsync(handle, next[..read], at, watch.Token).ConfigureAwait(false);
            at += read;
            state.Reached(at);
            Report(part, queue, queue.Advance(piece, read), read);
        }

        if (at == file.Offset + file.Count)
        {
            watch.Touch();
            await file.FinishAsync().ConfigureAwait(false);
        }
    }

    private void Report(PartRecord part, RangeQueue queue, long missing, int read)
    {
        _meter.Move(read);
        long moved = _meter.Moved;
        _meter.Report(_length!.Value - missing);
        long noted = Volatile.Read(ref _noted);
        if (moved - noted >= Math.Max(BytesBetweenNotes, (_missing?.Length ?? 0) * NoteBytesPerEnd) && Interlocked.CompareExchange(ref _noted, moved, noted) == noted)
        {
            lock (queue)
            {
                part.SaveMissing(queue.Missing());
            }
        }
    }
}

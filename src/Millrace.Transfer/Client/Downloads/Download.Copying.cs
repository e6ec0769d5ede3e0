using System.Buffers;
using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <content>Moving the bytes, and comparing their digest.</content>
internal sealed partial class Download
{
    private Sha256Digest? _verified;

    /// <summary>Whether the file was changed in place, and is downloaded once more.</summary>
    private bool _hasChanged;

    /// <returns>Whether it goes on with several connections.</returns>
    private async ValueTask<bool> CopyAsync(OpenedFile file, IdleWatch watch)
    {
        long started = _context.Clock.GetTimestamp();
        long before = _taken;
        bool ranges = false;

        // A server without ranges sends the other bytes as well.
        long skip = _start + _taken - file.Offset;
        while (!ranges && (_end is not { } end || _start + _taken < end))
        {
            PipeWriter writer = _sink.Writer;
            Memory<byte> memory = writer.GetMemory(_sink.MinMemory);
            long left = Math.Min(_sink.RoomAt(_taken), _end is { } last ? last - _start - _taken + skip : long.MaxValue);
            if (memory.Length > left)
            {
                memory = memory[..(int)left];
            }

            int read = await ReadAsync(file, memory, watch).ConfigureAwait(false);
            if (read == 0)
            {
                if (_end is not null)
                {
                    throw Failures.Disconnected(Call, null, $"it ended at byte {_start + _taken} of {_end}");
                }

                _end = _start + _taken;
                break;
            }

            if (skip > 0)
            {
                int unwanted = (int)Math.Min(skip, read);
                memory.Span[unwanted..read].CopyTo(memory.Span);
                read -= unwanted;
                skip -= unwanted;
                if (read == 0)
                {
                    continue;
                }
            }

            await TakeAsync(writer, memory[..read], watch).ConfigureAwait(false);
            ranges = _mayUseRanges && RangeRule.IsWorthIt(
                file.RoundTrip, _taken - before, _context.Clock.GetElapsedTime(started), _end!.Value - _taken);
        }

        await FlushAsync(_sink.Writer, watch).ConfigureAwait(false);
        _state.Reached(_taken);
        if (!ranges && _start + _taken == file.Offset + file.Count)
        {
            watch.Touch();
            _expected = await file.FinishAsync().ConfigureAwait(false) ?? _expected;
        }

        return ranges;
    }

    private async ValueTask TakeAsync(PipeWriter writer, ReadOnlyMemory<byte> bytes, IdleWatch watch)
    {
        ThrowIfTooLarge(_taken + bytes.Length);
        if (_hash is not null)
        {
            await _hash.AppendAsync(bytes).ConfigureAwait(false);
        }

        writer.Advance(bytes.Length);
        _taken += bytes.Length;
        _meter.Move(bytes.Length);
        if (!writer.CanGetUnflushedBytes || writer.UnflushedBytes >= _sink.FlushBytes)
        {
            if (_end is null && !_sink.HasRoom())
            {
                throw Failures.Make(
                    TransferError.NoSpace,
                    Call,
                    $"its length is unknown, and after {_taken} bytes less than 1 % of the disk is free. Nothing was published here; free some space, or choose another disk.");
            }

            await FlushAsync(writer, watch).ConfigureAwait(false);
        }

        _state.Reached(_taken);
        _meter.Report(_taken);
    }

    private async ValueTask FlushAsync(PipeWriter writer, IdleWatch watch)
    {
        if (_hash is not null)
        {
            // Flushed bytes are no longer ours.
            await _hash.DrainAsync().ConfigureAwait(false);
        }

        watch.Pause();
        FlushResult result = await writer.FlushAsync(watch.Caller).ConfigureAwait(false);
        if (result.IsCanceled || result.IsCompleted)
        {
            throw new OperationCanceledException($"Downloading '{_name}': the destination accepts no more bytes.");
        }
    }

    private async ValueTask<int> ReadAsync(OpenedFile file, Memory<byte> memory, IdleWatch watch)
    {
        watch.Touch();
        try
        {
            if (file.Response is null)
            {
                // They were waited for when they came.
                return await file.Body.ReadAsync(memory, watch.Token).ConfigureAwait(false);
            }

            memory = watch.Rate is { } rate && memory.Length > rate.MaxBytes ? memory[..rate.MaxBytes] : memory;
            int read = await file.Body.ReadAsync(memory, watch.Token).ConfigureAwait(false);
            await watch.PaceAsync(read).ConfigureAwait(false);
            return read;
        }
        catch (Exception exception) when (exception is IOException or OperationCanceledException or HttpRequestException)
        {
            throw Failures.Translate(exception, Call, watch);
        }
    }

    private async ValueTask VerifyAsync(IdleWatch watch)
    {
        watch.Touch();
        bool lacksDigest = _hash is not null && _expected is null;
        bool lacksTime = _continued && ((_keepsTime && _modified is null) || (_keepsPermissions && _isExecutable is null));
        if ((lacksDigest || lacksTime)
            && await _context.Protocol.FindAsync(_name, lacksDigest, watch).ConfigureAwait(false) is { } stored
            && stored.Tag == _tag)
        {
            // Another process may have received all of it.
            _modified ??= stored.Modified;
            _isExecutable ??= stored.IsExecutable;
            _expected ??= stored.Sha256;
        }

        if (_hash is null || _verified is not null)
        {
            return;
        }

        Sha256Digest mine = await _hash.FinishAsync().ConfigureAwait(false);
        if (_expected is null || _expected == mine)
        {
            _verified = _expected;
            return;
        }

        if (_continued && _sink.CanRestart)
        {
            // The part of the earlier process is damaged: the machine may have failed under it.
            await RestartAsync().ConfigureAwait(false);
            throw Failures.Make(
                TransferError.DigestMismatch, Call, "the unfinished download is damaged; it is downloaded again.", isTransient: true);
        }

        if (_tag is not null && (await _context.Protocol.FindAsync(_name, false, watch).ConfigureAwait(false))?.Tag != _tag)
        {
            // In place, while the server read it.
            throw await RestartChangedAsync().ConfigureAwait(false) ?? Failures.Make(
                TransferError.Changed,
                Call,
                "it was changed on the server while it was read, so that the received bytes are of no version. Download it again when no program writes to it.");
        }

        throw Failures.Make(
            TransferError.DigestMismatch,
            Call,
            $"the received bytes have the SHA-256 {mine}, the server's file has {_expected}. Nothing was published here; download it again, "
            + "and check the memory and disk of both machines if it happens again.");
    }

    /// <summary>Starts over, once, with a file that was changed in place.</summary>
    /// <returns>The reason for another attempt; null if there is none.</returns>
    private async ValueTask<TransferException?> RestartChangedAsync()
    {
        if (_hasChanged || !_sink.CanRestart)
        {
            return null;
        }

        _hasChanged = true;
        await RestartAsync().ConfigureAwait(false);
        return Failures.Make(
            TransferError.Changed, Call, "it was changed on the server while it was read; it is downloaded again.", isTransient: true);
    }
}

namespace Millrace.Transfer.Server;

/// <content>Comparing one file.</content>
public sealed partial class StoreScrub
{
    /// <summary>Damaged files that are remembered; more of them are only logged.</summary>
    private const int MaxDamaged = 1000;

    /// <summary>So many failures in a row pause the pass: the store is probably the cause.</summary>
    private const int MaxFailures = 10;

    /// <summary>Maximum time that a file is open, so that a replaced one does not occupy its space for days. Large files are read faster.</summary>
    private static readonly TimeSpan MaxOpen = TimeSpan.FromHours(1);

    private int _failures;

    private async Task CheckAsync(TransferName name, bool isBackground, double rate, CancellationToken stop)
    {
        Outcome outcome;
        try
        {
            outcome = await CompareAsync(name, isBackground, rate, isSecond: false, stop);
            _failures = 0;
        }
        catch (TransferException exception) when (exception.Error is TransferError.NotFound or TransferError.Changed)
        {
            outcome = Outcome.Replaced;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            _logger.ScrubSkipped(name.Value, exception.Message);
            _state.Skipped++;
            bool isOfStore = exception is TransferException { Error: TransferError.Unavailable or TransferError.Disconnected };
            _failures = isOfStore ? _failures + 1 : 0;
            if (_failures == MaxFailures)
            {
                // The next pass begins after this file.
                _failures = 0;
                _state.After = name.Value;
                throw;
            }

            outcome = Outcome.Skipped;
        }

        _state.Files++;
        if (outcome is Outcome.Intact or Outcome.Computed)
        {
            _state.Damaged.RemoveAll(file => file.Name == name.Value);
        }

        _meter?.Scrubbed(outcome switch
        {
            Outcome.Intact => "intact",
            Outcome.Computed => "computed",
            Outcome.Damaged => "damaged",
            Outcome.Skipped => "skipped",
            _ => "replaced",
        });
    }

    private async Task<Outcome> CompareAsync(TransferName name, bool isBackground, double rate, bool isSecond, CancellationToken stop)
    {
        await using StoredFileReader reader = _store is LocalFileStore local
            ? await local.OpenOnDeviceAsync(name, stop)
            : await _store.OpenReadAsync(name, DigestNeed.IfKnown, stop);
        StoredFile file = reader.File;
        if (file.Sha256 is null && !reader.KeepsDigests)
        {
            // The store reads it, and keeps the result.
            await _store.FindAsync(name, DigestNeed.Always, stop);
            Count(file.Length);
            return Outcome.Computed;
        }

        FileDigest? digest;
        try
        {
            digest = await HashAsync(reader, isBackground ? Math.Clamp(Math.Max(rate, file.Length / MaxOpen.TotalSeconds), MinRate, MaxRate) : rate, stop);
        }
        catch (FilePipeException exception) when (exception.Error == FilePipeError.ReadFailed)
        {
            return Add(file, found: null, exception.Message);
        }
        catch (FilePipeException exception) when (exception.Error is FilePipeError.Changed or FilePipeError.Truncated)
        {
            return Outcome.Replaced;
        }

        if (digest is not { } found || !reader.IsUnchanged)
        {
            return Outcome.Replaced;
        }

        if (file.Sha256 is null)
        {
            return reader.TryKeep(found) ? Outcome.Computed : Outcome.Skipped;
        }

        if (found.Sha256 == file.Sha256)
        {
            return Outcome.Intact;
        }

        // Memory and cables fail too: if the second read is right, the device has no damage.
        _state.Bytes -= isSecond ? 0 : file.Length;
        return isSecond ? await IsStillAsync(file, stop) ? Add(file, found.Sha256, reason: null) : Outcome.Replaced
            : await CompareAsync(name, isBackground, rate, isSecond: true, stop);
    }

    /// <returns>Null if the name has another version meanwhile.</returns>
    private async Task<FileDigest?> HashAsync(StoredFileReader reader, double rate, CancellationToken stop)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var checksum = new System.IO.Hashing.Crc32();
        var pace = new ScrubPace(_clock);
        PipeReader content = reader.ReadOnDevice(new ByteRange(0, reader.File.Length));
        try
        {
            while (true)
            {
                ReadResult result = await content.ReadAsync(stop);
                foreach (ReadOnlyMemory<byte> segment in result.Buffer)
                {
                    hash.AppendData(segment.Span);
                    checksum.Append(segment.Span);
                }

                long bytes = result.Buffer.Length;
                content.AdvanceTo(result.Buffer.End);
                Count(bytes);
                if (result.IsCompleted)
                {
                    break;
                }

                if (IsSaveDue)
                {
                    await SaveAsync(stop);
                    if (!await IsStillAsync(reader.File, stop))
                    {
                        return null;
                    }
                }

                await WaitAsync(pace.Spend(bytes, rate), stop);
            }
        }
        finally
        {
            await content.CompleteAsync();
        }

        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        hash.GetHashAndReset(digest);
        return new FileDigest(new Sha256Digest(digest), checksum.GetCurrentHashAsUInt32());
    }

    private async ValueTask<bool> IsStillAsync(StoredFile file, CancellationToken stop) =>
        (await _store.FindAsync(file.Name, DigestNeed.IfKnown, stop))?.Tag == file.Tag;

    private void Count(long bytes)
    {
        _state.Bytes += bytes;
        _meter?.ScrubRead(bytes);
        Report();
    }

    private Outcome Add(StoredFile file, Sha256Digest? found, string? reason)
    {
        if (found is null)
        {
            _logger.ScrubUnreadable(file.Name.Value, reason!);
        }
        else
        {
            _logger.ScrubDamaged(file.Name.Value, found.ToString()!, file.Sha256.ToString()!);
        }

        _state.Damaged.RemoveAll(other => other.Name == file.Name.Value);
        if (_state.Damaged.Count < MaxDamaged)
        {
            _state.Damaged.Add(new DamagedFile
            {
                Name = file.Name.Value,
                Tag = file.Tag.Value,
                Length = file.Length,
                Sha256 = file.Sha256?.ToString(),
                FoundSha256 = found?.ToString(),
                Reason = reason,
                Found = _clock.GetUtcNow(),
            });
        }

        return Outcome.Damaged;
    }

    private enum Outcome
    {
        Intact,
        Computed,
        Damaged,
        Replaced,
        Skipped,
    }
}

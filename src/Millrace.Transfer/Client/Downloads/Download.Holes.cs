namespace Millrace.Transfer;

/// <content>Leaves out the holes of a sparse file.</content>
internal sealed partial class Download
{
    /// <summary>Fetches the parts of a sparse file that have data, or the whole file if the list is not available.</summary>
    private async ValueTask FetchSparseAsync(IdleWatch watch)
    {
        watch.Pause();
        if (await RemoteExtents.FindAsync(_context, _name, watch.Caller).ConfigureAwait(false) is { Extents.IsSparse: true } list)
        {
            watch.Touch();
            StoredFile? stored = await _context.Protocol.FindAsync(_name, _hash is not null, watch).ConfigureAwait(false);
            if (stored?.Tag == list.Tag && stored.Length == list.Extents.FileLength)
            {
                ThrowIfTooLarge(stored.Length);
                watch.Pause();
                long[] missing = [.. list.Extents.Extents.SelectMany(static extent => new[] { extent.Offset, extent.End })];
                await _sink.RestartAsync().ConfigureAwait(false);
                _ = await _sink.UsePartAsync().ConfigureAwait(false);
                Take(stored, missing);
            }
        }

        await FetchRestAsync(watch).ConfigureAwait(false);
    }

    /// <summary>The version that is sent, and the ranges that the unfinished file lacks.</summary>
    private void Take(StoredFile stored, long[] missing)
    {
        _sink.Describe(stored, missing);
        _tag = stored.Tag;
        _length = stored.Length;
        _end = stored.Length;
        _expected = stored.Sha256;
        _modified = stored.Modified;
        _isExecutable = stored.IsExecutable;
        _missing = missing;
        _continued = true;
        _meter.Total = stored.Length;
    }
}

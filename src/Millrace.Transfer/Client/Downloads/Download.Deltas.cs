using Microsoft.Win32.SafeHandles;

namespace Millrace.Transfer;

/// <content>Copies the blocks of the server's version that the local file has, and fetches only the rest.</content>
internal sealed partial class Download
{
    private long _reused;

    /// <summary>Copies the blocks that an earlier file has to where the others will be.</summary>
    /// <param name="blocks">Those of the version that is downloaded.</param>
    /// <param name="path">The earlier file.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <remarks>If that fails, the download begins at the first byte.</remarks>
    public async ValueTask CopyKnownAsync(RemoteBlocks blocks, string path, CancellationToken cancellationToken)
    {
        long length = blocks.Sums.FileLength;
        ThrowIfTooLarge(length);
        using IdleWatch watch = _context.Watch(cancellationToken);
        try
        {
            StoredFile? stored = await _context.Protocol.FindAsync(_name, digest: true, watch).ConfigureAwait(false);
            if (stored?.Tag != blocks.Tag || stored.Length != length)
            {
                return;
            }

            watch.Pause();
            PartRecord part = await _sink.UsePartAsync().ConfigureAwait(false);
            long[] missing = await CopyKnownAsync(blocks.Sums, path, part.PartPath, cancellationToken).ConfigureAwait(false);
            Take(stored, missing);
            _reused = length;
            for (int i = 0; i < missing.Length; i += 2)
            {
                _reused -= missing[i + 1] - missing[i];
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException && exception is not OperationCanceledException)
        {
            await RestartAsync().ConfigureAwait(false);
        }
    }

    /// <returns>The missing ranges, as pairs of first byte and first byte after.</returns>
    private static async ValueTask<long[]> CopyKnownAsync(BlockSums sums, string path, string part, CancellationToken cancellationToken)
    {
        using FilePipeReader reader = FilePipe.OpenRead(path, new FileReadOptions { ChangeDetection = ChangeDetection.Any });
        long length = reader.Length;
        using SafeFileHandle handle = File.OpenHandle(
            part, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        RandomAccess.SetLength(handle, sums.FileLength);
        var table = new BlockTable(sums);
        var matcher = new BlockMatcher(sums, table, length) { FindsFirst = true };
        var present = new bool[sums.Count];
        MarkZeros();
        await BlockScan.RunAsync(reader, length, matcher, Copy, null, cancellationToken).ConfigureAwait(false);
        return MissingOf(sums, present);

        // Blocks of zeros are holes of the new file, wherever the earlier one has some, or none.
        void MarkZeros()
        {
            byte[] zeros = new byte[sums.BlockBytes];
            Span<byte> strong = stackalloc byte[BlockSums.MaxStrongBytes];
            BlockSums.ComputeStrong(zeros, strong);
            for (int block = 0; block < present.Length; block++)
            {
                if (block == sums.WholeCount)
                {
                    BlockSums.ComputeStrong(zeros.AsSpan(0, sums.TailBytes), strong);
                }

                // The weak sum of zeros is 0.
                present[block] = sums.Weak(block) == 0 && sums.Strong(block).SequenceEqual(strong[..sums.StrongBytes]);
            }
        }

        void Copy(long offset, int block, ReadOnlySpan<byte> content)
        {
            for (; block >= 0 && !present[block]; block = block < sums.WholeCount ? table.NextTwin(block) : -1)
            {
                RandomAccess.Write(handle, content, (long)block * sums.BlockBytes);
                present[block] = true;
            }
        }
    }

    private static long[] MissingOf(BlockSums sums, bool[] present)
    {
        var missing = new List<long>();
        for (int block = 0; block < present.Length; block++)
        {
            if (present[block])
            {
                continue;
            }

            long start = (long)block * sums.BlockBytes;
            long end = Math.Min(start + sums.BlockBytes, sums.FileLength);
            if (missing.Count > 0 && missing[^1] == start)
            {
                missing[^1] = end;
            }
            else
            {
                missing.Add(start);
                missing.Add(end);
            }
        }

        return [.. missing];
    }
}

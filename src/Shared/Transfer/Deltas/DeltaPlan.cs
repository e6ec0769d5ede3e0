using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>A part of a new file: bytes of an earlier version, or literal.</summary>
/// <param name="Offset">Where it begins in the new file.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Base">Where it begins in the earlier version; negative if it is literal.</param>
internal readonly record struct DeltaPart(long Offset, long Length, long Base)
{
    public bool IsLiteral => Base < 0;

    public long End => Offset + Length;
}

/// <summary>How a new file is made of an earlier version: parts in order, without gaps.</summary>
internal sealed class DeltaPlan
{
    private readonly List<DeltaPart> _parts = [];

    private DeltaPlan(long length) => Length = length;

    public IReadOnlyList<DeltaPart> Parts => _parts;

    /// <summary>Bytes of the new file.</summary>
    public long Length { get; }

    /// <summary>How many of them are literal.</summary>
    public long LiteralBytes { get; private set; }

    /// <summary>Rolls over a new file.</summary>
    /// <param name="content">All its bytes, in one segment at a time. Not completed.</param>
    /// <param name="length">How many they are.</param>
    /// <param name="sums">The earlier version.</param>
    /// <param name="follow">Sees each byte once; null for none. The bytes have to be unchanged only until it completes.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="IOException">The content has another length.</exception>
    public static async ValueTask<DeltaPlan> MakeAsync(
        PipeReader content, long length, BlockSums sums, IDeltaFollower? follow, CancellationToken cancellationToken)
    {
        var plan = new DeltaPlan(length);
        var matcher = new BlockMatcher(sums, new BlockTable(sums), length);
        BlockMatcher.Found found = (offset, block, bytes) => plan.AddCopy(offset, (long)block * sums.BlockBytes, bytes.Length);
        await BlockScan.RunAsync(content, length, matcher, found, follow, cancellationToken).ConfigureAwait(false);
        plan.AddLiteral(length);
        return plan;
    }

    private void AddCopy(long offset, long from, int length)
    {
        AddLiteral(offset);
        if (_parts is [.., { IsLiteral: false } last] && last.Base + last.Length == from)
        {
            _parts[^1] = last with { Length = last.Length + length };
        }
        else
        {
            _parts.Add(new DeltaPart(offset, length, from));
        }
    }

    /// <summary>Adds the unmatched bytes up to this offset as a literal.</summary>
    private void AddLiteral(long end)
    {
        long start = _parts.Count == 0 ? 0 : _parts[^1].End;
        if (start < end)
        {
            _parts.Add(new DeltaPart(start, end - start, -1));
            LiteralBytes += end - start;
        }
    }
}

/// <summary>Sees the bytes of a file while it is scanned.</summary>
internal interface IDeltaFollower
{
    /// <summary>The next bytes, while others look at them too.</summary>
    ValueTask FollowAsync(ReadOnlyMemory<byte> bytes);

    /// <summary>Completes when all of them can change.</summary>
    ValueTask DrainAsync();
}

/// <summary>Moves a file through a <see cref="BlockMatcher"/>.</summary>
internal static class BlockScan
{
    /// <exception cref="IOException">The content has another length.</exception>
    public static async ValueTask RunAsync(
        PipeReader content, long length, BlockMatcher matcher, BlockMatcher.Found found, IDeltaFollower? follow,
        CancellationToken cancellationToken)
    {
        long followed = 0;
        while (true)
        {
            ReadResult result = await content.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlyMemory<byte> bytes = result.Buffer.First;
            if (matcher.Position + bytes.Length > length || (result.IsCompleted && matcher.Position + bytes.Length < length))
            {
                throw new IOException($"The file does not have the {length} bytes that it had.");
            }

            int done;
            try
            {
                if (follow is not null)
                {
                    await follow.FollowAsync(bytes[(int)(followed - matcher.Position)..]).ConfigureAwait(false);
                    followed = matcher.Position + bytes.Length;
                }

                done = matcher.Scan(bytes.Span, found);
            }
            finally
            {
                if (follow is not null)
                {
                    await follow.DrainAsync().ConfigureAwait(false);
                }
            }

            content.AdvanceTo(result.Buffer.GetPosition(done), result.Buffer.GetPosition(bytes.Length));
            if (result.IsCompleted)
            {
                return;
            }
        }
    }
}

using System.IO.Pipelines;

namespace Millrace.Transfer;

/// <summary>A part of a new file: bytes of an earlier version, literal, or zeros.</summary>
/// <param name="Offset">Where it begins in the new file.</param>
/// <param name="Length">Its bytes.</param>
/// <param name="Base">Where it begins in the earlier version; <see cref="Literal"/>; or <see cref="Zeros"/>.</param>
internal readonly record struct DeltaPart(long Offset, long Length, long Base)
{
    public const long Literal = -1;

    public const long Zeros = -2;

    public bool IsLiteral => Base == Literal;

    public bool IsCopy => Base >= 0;

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
    public long LiteralBytes => BytesOf(DeltaPart.Literal);

    /// <summary>How many of them the earlier version has.</summary>
    public long CopiedBytes => Length - LiteralBytes - BytesOf(DeltaPart.Zeros);

    /// <summary>A file whose holes are runs of zeros, and whose other bytes are literal.</summary>
    public static DeltaPlan Of(ExtentList extents)
    {
        var plan = new DeltaPlan(extents.FileLength);
        plan.AddLiteral(extents.FileLength);
        return plan.WithHoles(extents);
    }

    /// <summary>The same file, with its holes as runs of zeros.</summary>
    public DeltaPlan WithHoles(ExtentList extents)
    {
        var plan = new DeltaPlan(Length);
        int extent = 0;
        foreach (DeltaPart part in _parts)
        {
            long at = part.Offset;
            while (at < part.End)
            {
                while (extent < extents.Extents.Count && extents.Extents[extent].End <= at)
                {
                    extent++;
                }

                ByteRange next = extent < extents.Extents.Count ? extents.Extents[extent] : new ByteRange(Length, 0);
                long end = Math.Min(part.End, at < next.Offset ? next.Offset : next.End);
                long length = end - at;

                // The rest of a reference beside a hole may be too short to be one.
                bool isLiteral = part.IsLiteral || (length < part.Length && length < DeltaFormat.MinCopyBytes);
                plan.Add(new DeltaPart(
                    at, length, at < next.Offset ? DeltaPart.Zeros : isLiteral ? DeltaPart.Literal : part.Base + at - part.Offset));
                at = end;
            }
        }

        return plan;
    }

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
        Add(new DeltaPart(offset, length, from));
    }

    /// <summary>Adds the next part, to the last one if it continues that.</summary>
    private void Add(DeltaPart part)
    {
        if (_parts is [.., var last] && (part.IsCopy ? last.IsCopy && last.Base + last.Length == part.Base : last.Base == part.Base))
        {
            _parts[^1] = last with { Length = last.Length + part.Length };
        }
        else
        {
            _parts.Add(part);
        }
    }

    /// <summary>Adds the unmatched bytes up to this offset as a literal.</summary>
    private void AddLiteral(long end)
    {
        long start = _parts.Count == 0 ? 0 : _parts[^1].End;
        if (start < end)
        {
            _parts.Add(new DeltaPart(start, end - start, DeltaPart.Literal));
        }
    }

    private long BytesOf(long kind)
    {
        long bytes = 0;
        foreach (DeltaPart part in _parts)
        {
            bytes += part.Base == kind ? part.Length : 0;
        }

        return bytes;
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

namespace Millrace.Transfer;

/// <summary>The instructions for a part of a new file, sent in one request of an upload.</summary>
internal sealed class DeltaEncoding
{
    private readonly List<DeltaPart> _parts = [];

    /// <summary>Chooses the parts from an offset on.</summary>
    /// <param name="plan">The whole.</param>
    /// <param name="offset">Where in the new file it begins.</param>
    /// <param name="maxBytes">Bytes that the instructions may have, with their literals.</param>
    /// <param name="maxLength">Bytes of the new file that they may make.</param>
    public DeltaEncoding(DeltaPlan plan, long offset, long maxBytes, long maxLength)
    {
        Offset = offset;
        long end = Math.Min(plan.Length, maxLength > plan.Length - offset ? plan.Length : offset + maxLength);
        long at = offset;
        long expected = 0;
        Bytes = 1;
        foreach (DeltaPart whole in plan.Parts)
        {
            if (whole.End <= at)
            {
                continue;
            }

            long skipped = at - whole.Offset;
            var part = new DeltaPart(at, Math.Min(whole.End, end) - at, whole.IsCopy ? whole.Base + skipped : whole.Base);
            if (part.Length <= 0)
            {
                break;
            }

            int min = part.IsCopy ? DeltaFormat.MinCopyBytes : DeltaFormat.MinZeroBytes;
            if (!part.IsLiteral && part.Length < min && (part.End != whole.End || whole.Length >= min))
            {
                // The rest of a reference is too short to be one, or that of a run of zeros.
                part = part with { Base = DeltaPart.Literal };
            }

            long room = maxBytes - Bytes;
            if (part.IsLiteral)
            {
                long most = room - DeltaFormat.LiteralBytes(part.Length);
                if (most < part.Length)
                {
                    if (most <= 0 && at > offset)
                    {
                        break;
                    }

                    part = part with { Length = Math.Max(1, most) };
                    Add(part, DeltaFormat.LiteralBytes(part.Length) + part.Length);
                    at = part.End;
                    break;
                }

                Add(part, DeltaFormat.LiteralBytes(part.Length) + part.Length);
            }
            else
            {
                int bytes = part.IsCopy ? DeltaFormat.CopyBytes(part.Length, part.Base - expected) : DeltaFormat.ZeroBytes(part.Length);
                if (bytes > room && at > offset)
                {
                    break;
                }

                Add(part, bytes);
                expected = part.IsCopy ? part.Base + part.Length : expected;
            }

            at = part.End;
        }

        End = at;
    }

    /// <summary>Where it begins in the new file.</summary>
    public long Offset { get; }

    /// <summary>Where it ends there.</summary>
    public long End { get; }

    /// <summary>Bytes of the instructions, with their literals.</summary>
    public long Bytes { get; private set; }

    public IReadOnlyList<DeltaPart> Parts => _parts;

    private void Add(DeltaPart part, long bytes)
    {
        _parts.Add(part);
        Bytes += bytes;
    }
}

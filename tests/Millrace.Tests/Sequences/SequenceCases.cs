using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Sequences;

/// <summary>Generates and shrinks <see cref="SequenceCase"/>s.</summary>
internal static class SequenceCases
{
    // Few different bytes, so that there are lines, empty ones and ends that are cut.
    private static readonly Gen<byte[]> Texts =
        from length in Gen.Frequency((1, Gen.Choose(0, 3)), (3, Gen.Choose(0, 60)), (2, Gen.Choose(0, 400)))
        from bytes in Gen.ArrayOf(
            Gen.Frequency(
                (4, Gen.Constant((byte)'a')), (4, Gen.Constant((byte)'b')),
                (2, Gen.Constant((byte)'\r')), (3, Gen.Constant((byte)'\n'))),
            length)
        select bytes;

    private static readonly Gen<byte[]> Contents =
        from start in Gen.Choose(0, 10_000)
        from length in Gen.Frequency((3, Gen.Choose(0, 100)), (2, Gen.Choose(0, 3_000)), (1, Gen.Choose(60_000, 140_000)))
        select TestContent.Between(start, start + length).ToArray();

    private static readonly Gen<int[]> Pieces =
        from count in Gen.Choose(1, 5)
        from pieces in Gen.ArrayOf(
            Gen.Frequency((3, Gen.Choose(0, 5)), (3, Gen.Choose(0, 30)), (1, Gen.Choose(0, 5_000))), count)
        select pieces;

    private static readonly Gen<int> Counts = Gen.Frequency(
        (2, Gen.Constant(1)), (4, Gen.Choose(1, 10)), (2, Gen.Choose(1, 200)), (1, Gen.Constant(int.MaxValue)));

    private static readonly Gen<int> Limits = Gen.Frequency((1, Gen.Choose(1, 6)), (2, Gen.Constant(int.MaxValue)));

    private static readonly Gen<SequenceWalk> Walks = Gen.Frequency(
        (3, from count in Counts select (SequenceWalk)new SequenceWalk.Bytes(count)),
        (2, from count in Counts select (SequenceWalk)new SequenceWalk.SegmentWalk(count)),
        (6, from count in Counts
            from limit in Limits
            select (SequenceWalk)new SequenceWalk.Lines(count, limit)),
        (6, from count in Counts
            from kind in Gen.Choose(0, RecordKinds.All.Count - 1)
            from order in Gen.Elements(Enum.GetValues<ByteOrder>())
            select (SequenceWalk)new SequenceWalk.Records(count, kind, order)),
        (1, from count in Counts select (SequenceWalk)new SequenceWalk.ForEach(count)),
        (1, Gen.Constant<SequenceWalk>(new SequenceWalk.Cancelled())));

    public static Arbitrary<SequenceCase> Arbitrary { get; } = Arb.From(
        from source in Gen.Elements(ByteSources.Names.ToArray())
        from content in Gen.OneOf(Texts, Contents)
        from pieces in Pieces
        from count in Gen.Choose(1, 12)
        from walks in Gen.ListOf(Walks, count)
        select new SequenceCase(source, content, pieces, [.. walks]),
        Shrink);

    /// <summary>Fewer walks first, then less content, then plainer pieces.</summary>
    private static IEnumerable<SequenceCase> Shrink(SequenceCase value)
    {
        for (int i = 0; i < value.Walks.Count; i++)
        {
            yield return value with { Walks = [.. value.Walks.Where((_, index) => index != i)] };
        }

        for (int removed = value.Content.Length / 2; removed > 0; removed /= 2)
        {
            yield return value with { Content = value.Content[removed..] };
            yield return value with { Content = value.Content[..^removed] };
        }

        foreach (int piece in new[] { 0, 1 })
        {
            if (value.Pieces is not [var only] || only != piece)
            {
                yield return value with { Pieces = [piece] };
            }
        }
    }
}

using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Scanning;

/// <summary>Generates and shrinks <see cref="ScanCase"/>s.</summary>
internal static class ScanCases
{
    // Long ones reach over several reads of the search for a boundary, which begins with a page and doubles.
    private static readonly Gen<int> Lengths = Gen.Frequency(
        (4, Gen.Constant(0)),
        (10, Gen.Choose(1, 40)),
        (3, Gen.Choose(4_000, 4_200)),
        (1, Gen.Choose(0, 60_000)));

    private static readonly Gen<ScanCase> Cases =
        from kind in Gen.Elements(Enum.GetValues<BoundaryKind>())
        from count in Gen.Frequency((1, Gen.Choose(0, 3)), (3, Gen.Choose(0, 60)))
        from lengths in Gen.ListOf(Lengths, count)
        from ended in Gen.Elements(true, false)
        from size in Gen.Frequency((3, Gen.Choose(1, 50)), (1, Gen.Choose(1, 10_000)))
        from first in Gen.Frequency((2, Gen.Constant(0)), (1, Gen.Choose(0, 5_000)))
        from lookAhead in Gen.Elements(3, 4, 100, RecordBoundary.MaxLookAhead)
        from degree in Gen.Frequency((3, Gen.Choose(1, 5)), (2, Gen.Choose(0, 40)))
        from strategy in Gen.Elements(Enum.GetValues<ReadStrategy>())
        from portable in Gen.Elements(false, true)
        from offset in Gen.Frequency((2, Gen.Constant(0)), (1, Gen.Choose(0, lengths.Sum() + 10)))
        from part in Gen.Frequency((2, Gen.Constant(-1)), (1, Gen.Choose(0, lengths.Sum() + 10)))
        select new ScanCase(
            kind,
            [.. lengths],
            ended,
            size,
            first,
            lookAhead,
            degree,
            new FileReadOptions
            {
                Strategy = strategy,
                Portable = portable,
                Offset = offset,
                Length = part < 0 ? null : part,
            });

    public static Arbitrary<ScanCase> Arbitrary { get; } = Arb.From(Cases, Shrink);

    /// <summary>A plainer scan first, then fewer records, then shorter ones.</summary>
    private static IEnumerable<ScanCase> Shrink(ScanCase value)
    {
        if (value.Options != default)
        {
            yield return value with { Options = default };
            yield return value with { Options = value.Options with { Offset = 0, Length = null } };
        }

        for (int degree = 1; degree < value.Degree; degree++)
        {
            yield return value with { Degree = degree };
        }

        int count = value.Lengths.Count;
        for (int removed = count / 2; removed > 0; removed /= 2)
        {
            for (int start = 0; start + removed <= count; start += removed)
            {
                yield return value with
                {
                    Lengths = [.. value.Lengths.Take(start), .. value.Lengths.Skip(start + removed)],
                };
            }
        }

        if (value.Lengths.Any(length => length > 0))
        {
            yield return value with { Lengths = [.. value.Lengths.Select(length => length / 2)] };
        }
    }
}

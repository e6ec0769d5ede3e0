using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Tests.Properties;

/// <summary>Generates and shrinks <see cref="ReaderCase"/>s.</summary>
internal static class ReaderCases
{
    private const int Block = 256 * 1024;
    private const int Window = 4 * 1024 * 1024;

    private static readonly Gen<int> Thousandths = Gen.Frequency(
        (1, Gen.Constant(0)), (2, Gen.Choose(0, 1_000)), (2, Gen.Constant(1_000)));

    private static readonly Gen<int> FileLengths = Gen.Frequency(
        (1, Gen.Choose(0, 2)),
        (4, Gen.Choose(0, 10_000)),
        (3, Gen.Choose(Block - 2, Block + 2)),
        (3, Gen.Choose(0, 4 * Block)),
        (1, Gen.Choose(Window - 2, Window + 2)),
        (1, Gen.Choose(Window, 2 * Window)));

    private static readonly Gen<Operation> Operations = Gen.Frequency(
        (8, Gen.Constant<Operation>(new Operation.Read())),
        (2, Gen.Constant<Operation>(new Operation.ReadSynchronously())),
        (3, Gen.Constant<Operation>(new Operation.TryRead())),
        (3, from bytes in Gen.Frequency((3, Gen.Choose(0, 5_000)), (1, Gen.Choose(0, 3 * Block)))
            select (Operation)new Operation.ReadAtLeast(bytes)),
        (1, Gen.Constant<Operation>(new Operation.ReadWithCanceledToken())),
        (10, from consumed in Thousandths
             from examined in Thousandths
             select (Operation)new Operation.Advance(consumed, examined)),
        (2, Gen.Constant<Operation>(new Operation.CancelPendingRead())),
        (1, from to in Gen.Choose(0, 1_050) select (Operation)new Operation.Seek(to)),
        (1, from to in Thousandths select (Operation)new Operation.SeekWithin(to)),
        (1, from writes in Gen.Choose(0, 2) select (Operation)new Operation.CopyPart(writes)));

    private static readonly Gen<ReaderCase> Cases =
        from length in FileLengths
        from strategy in Gen.Elements(Enum.GetValues<ReadStrategy>())
        from portable in Gen.Elements(false, true)
        from buffer in Gen.Elements(0, 1, 7, 2048, 4096, 65536, Block, 1024 * 1024)
        from block in Gen.Elements(0, 0, 0, 4096, 65536, 1024 * 1024)
        from offset in Gen.Frequency((3, Gen.Constant(0)), (1, Gen.Choose(0, length + 10)))
        from part in Gen.Frequency((3, Gen.Constant(-1)), (1, Gen.Choose(0, length + 10)))
        from count in Gen.Choose(1, 60)
        from operations in Gen.ListOf(Operations, count)
        select new ReaderCase(
            length,
            new FileReadOptions
            {
                Strategy = strategy,
                Portable = portable,
                BufferSize = buffer,
                BlockBytes = block,
                Offset = offset,
                Length = part < 0 ? null : part,
            },
            [.. operations]);

    public static Arbitrary<ReaderCase> Arbitrary { get; } = Arb.From(Cases, Shrink);

    /// <summary>FIFOs, of no more bytes than the kernel takes without a reader.</summary>
    public static Arbitrary<ReaderCase> Fifos { get; } = Arb.From(
        from value in Cases
        from length in Gen.Frequency((3, Gen.Choose(0, 10_000)), (1, Gen.Choose(0, 60_000)))
        from part in Gen.Frequency((1, Gen.Constant(-1)), (3, Gen.Choose(0, length)))
        from buffer in Gen.Elements(0, 7, 2048, 4096)
        select value with
        {
            IsFifo = true,
            FileLength = length,
            Options = value.Options with { Offset = 0, Length = part < 0 ? null : part, BufferSize = buffer },
            Operations =
                [.. value.Operations.Where(operation => operation is not (Operation.Seek or Operation.SeekWithin or Operation.CopyPart))],
        },
        Shrink);

    /// <summary>Fewer operations first, then a plainer reader, then a shorter file.</summary>
    private static IEnumerable<ReaderCase> Shrink(ReaderCase value)
    {
        int count = value.Operations.Count;
        for (int removed = count / 2; removed > 0; removed /= 2)
        {
            for (int start = 0; start + removed <= count; start += removed)
            {
                yield return value with
                {
                    Operations = [.. value.Operations.Take(start), .. value.Operations.Skip(start + removed)],
                };
            }
        }

        if (value.Options.Offset != 0 || value.Options.Length is not null)
        {
            yield return value with { Options = value.Options with { Offset = 0, Length = null } };
        }

        if (value.Options.BufferSize != 0)
        {
            yield return value with { Options = value.Options with { BufferSize = 0 } };
        }

        foreach (int length in new[] { 0, 10, value.FileLength / 2, value.FileLength - 1 })
        {
            if (length >= 0 && length < value.FileLength)
            {
                yield return value with { FileLength = length };
            }
        }
    }
}

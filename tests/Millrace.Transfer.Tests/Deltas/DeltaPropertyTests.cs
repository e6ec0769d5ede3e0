using FsCheck;
using FsCheck.Fluent;

namespace Millrace.Transfer.Tests.Deltas;

/// <summary>Files that were edited in any way are made again from their deltas, and unchanged bytes are not sent.</summary>
public sealed class DeltaPropertyTests
{
    private static readonly Config Usual = Config.QuickThrowOnFailure.WithMaxTest(Soak.Times(60, 5_000));

    [Fact]
    public void Edited_file_is_made_again_of_few_bytes() =>
        Check.One(Usual, Prop.ForAll(Cases().ToArbitrary(), static edited => RunAsync(edited).GetAwaiter().GetResult()));

    [Fact]
    public async Task Byte_in_front_costs_a_block()
    {
        byte[] old = Random(3_000_000, 1);
        byte[] content = [1, .. old];
        BlockSums sums = await DeltaFile.SumsOf(old);
        DeltaPlan plan = await DeltaFile.PlanOf(content, sums);
        Assert.Equal(1, plan.LiteralBytes);
        Assert.Equal(2, plan.Parts.Count);
    }

    [Fact]
    public async Task Equal_blocks_are_one_reference()
    {
        byte[] old = new byte[3_000_000];
        BlockSums sums = await DeltaFile.SumsOf(old);
        DeltaPlan plan = await DeltaFile.PlanOf(old, sums);
        Assert.Equal([new DeltaPart(0, old.Length, 0)], plan.Parts);
    }

    [Fact]
    public async Task List_made_to_match_everywhere_ends_the_search()
    {
        // Every block has the weak sum of zeros, and none their strong one.
        byte[] zeros = new byte[4 * 1024 * 1024];
        byte[] document = (await DeltaFile.SumsOf(zeros)).Document.ToArray();
        document.AsSpan(BlockSums.HeaderBytes + (2048 * 4)).Fill(1);
        Assert.True(BlockSums.TryParse(document, out BlockSums? sums));
        byte[] content = new byte[200 * 1024 * 1024];
        var matcher = new BlockMatcher(sums!, new BlockTable(sums!), content.Length);
        while (matcher.Position < content.Length)
        {
            int at = (int)matcher.Position;
            matcher.Scan(content.AsSpan(at, Math.Min(1024 * 1024, content.Length - at)), (_, _, _) => Assert.Fail("Nothing is equal."));
        }

        Assert.True(matcher.IsExhausted);
    }

    [Fact]
    public async Task List_with_one_weak_sum_for_all_blocks_is_searched_in_bounded_time()
    {
        byte[] document = (await DeltaFile.SumsOf(new byte[1 << 30])).Document.ToArray();
        var random = new Random(1);
        random.NextBytes(document.AsSpan(BlockSums.HeaderBytes + (32_768 * 4)));
        Assert.True(BlockSums.TryParse(document, out BlockSums? sums));
        var table = new BlockTable(sums!);
        Assert.True(table.Has(sums!.Weak(0)));
        byte[] strong = new byte[16];
        Assert.Equal(-1, table.Find(sums.Weak(0), strong));
        sums.Strong(0).CopyTo(strong);
        Assert.Equal(-1, table.Find(sums.Weak(0), strong));
        sums.Strong(sums.WholeCount - 1).CopyTo(strong);
        Assert.Equal(sums.WholeCount - 1, table.Find(sums.Weak(0), strong));
    }

    private static async Task RunAsync(Edited edited)
    {
        byte[] content = edited.Content();
        BlockSums sums = await DeltaFile.SumsOf(edited.Old);
        DeltaPlan plan = await DeltaFile.PlanOf(content, sums, edited.ReadBytes);

        // Each piece of the old file loses less than a block at both ends.
        long most = edited.Fresh + (edited.Pieces.Count(piece => piece.IsOld) * 2L * sums.BlockBytes);
        Assert.InRange(plan.LiteralBytes, 0, most);
        Assert.Equal(plan.LiteralBytes, plan.Parts.Where(part => part.IsLiteral).Sum(part => part.Length));

        var made = new MemoryStream();
        long sent = 0;
        foreach ((DeltaEncoding encoding, byte[] bytes) in DeltaFile.Encode(plan, content, 0, edited.MaxBytes, edited.MaxLength))
        {
            Assert.True(bytes.Length <= Math.Max(edited.MaxBytes, 1 + DeltaFormat.MaxInstructionBytes + 1));
            made.Write(DeltaFile.Apply(bytes, edited.Old, content.Length - made.Length, edited.PieceBytes));
            Assert.Equal(encoding.End, made.Length);
            sent += bytes.Length;
        }

        Assert.True(content.AsSpan().SequenceEqual(made.ToArray()));
        if (edited is { MaxBytes: long.MaxValue, MaxLength: long.MaxValue })
        {
            Assert.InRange(sent, 0, 1 + plan.LiteralBytes + (plan.Parts.Count * 12L));
        }
    }

    private static byte[] Random(int bytes, int seed)
    {
        byte[] content = new byte[bytes];
        new Random(seed).NextBytes(content);
        return content;
    }

    private static Gen<Edited> Cases() =>
        from seed in Gen.Choose(0, int.MaxValue)
        from length in Gen.Choose(0, 400_000)
        from edits in Gen.Choose(0, 8)
        from read in Gen.Elements(1, 1000, 4096, 100_000, int.MaxValue)
        from piece in Gen.Elements(1, 7, 1000, int.MaxValue)
        from most in Gen.Elements(40L, 5000, 100_000, long.MaxValue, long.MaxValue)
        from longest in Gen.Elements(300L, 5000, 100_000, long.MaxValue, long.MaxValue)
        select Edited.Make(seed, length, edits) with
        {
            ReadBytes = read == 1 && length > 50_000 ? 1000 : read,
            PieceBytes = piece,
            MaxBytes = most,
            MaxLength = longest,
        };

    private sealed record Piece(bool IsOld, int Start, int Length);

    private sealed record Edited(byte[] Old, byte[] New, IReadOnlyList<Piece> Pieces)
    {
        public int ReadBytes { get; init; }

        public int PieceBytes { get; init; }

        public long MaxBytes { get; init; }

        public long MaxLength { get; init; }

        public long Fresh => Pieces.Where(piece => !piece.IsOld).Sum(piece => piece.Length);

        public static Edited Make(int seed, int length, int edits)
        {
            var random = new Random(seed);
            byte[] old = new byte[length];
            byte[] fresh = new byte[120_000];
            random.NextBytes(old);
            random.NextBytes(fresh);
            List<Piece> pieces = length == 0 ? [] : [new Piece(IsOld: true, 0, length)];
            for (int edit = 0; edit < edits; edit++)
            {
                int whole = pieces.Sum(piece => piece.Length);
                int at = random.Next(whole + 1);
                int count = random.Next(Math.Min(whole - at, 60_000) + 1);
                var added = new Piece(IsOld: false, random.Next(50_000), 1 + random.Next(random.Next(2) == 0 ? 10 : 50_000));
                (List<Piece> before, List<Piece> rest) = Split(pieces, at);
                (List<Piece> middle, List<Piece> after) = Split(rest, count);
                pieces = random.Next(6) switch
                {
                    0 => [.. before, added, .. middle, .. after],
                    1 => [.. before, .. after],
                    2 => [.. before, added with { Length = Math.Max(1, count) }, .. after],
                    3 => [.. before, .. after, .. middle],
                    4 => [.. before, .. middle],
                    _ => [.. before, .. middle, .. middle, .. after],
                };
            }

            return new Edited(old, fresh, pieces);
        }

        public byte[] Content() =>
            [.. Pieces.SelectMany(piece => (piece.IsOld ? Old : New).AsSpan(piece.Start, piece.Length).ToArray())];

        public override string ToString() =>
            $"{Old.Length} bytes, {string.Join(' ', Pieces.Select(piece => $"{(piece.IsOld ? "" : "+")}{piece.Start}-{piece.Start + piece.Length}"))}, {ReadBytes}, {PieceBytes}, {MaxBytes}, {MaxLength}";

        private static (List<Piece> Before, List<Piece> After) Split(List<Piece> pieces, int at)
        {
            List<Piece> before = [];
            List<Piece> after = [];
            foreach (Piece piece in pieces)
            {
                int taken = Math.Clamp(at, 0, piece.Length);
                at -= taken;
                if (taken > 0)
                {
                    before.Add(piece with { Length = taken });
                }

                if (taken < piece.Length)
                {
                    after.Add(piece with { Start = piece.Start + taken, Length = piece.Length - taken });
                }
            }

            return (before, after);
        }
    }
}

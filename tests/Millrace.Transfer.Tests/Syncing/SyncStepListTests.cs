namespace Millrace.Transfer.Tests.Syncing;

/// <summary>The packed steps of a plan are those that were added.</summary>
public sealed class SyncStepListTests
{
    private static readonly string[] Parts = ["a", "b", "photo-", "é", "日本", "\U0001F600", "x y"];

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(31)]
    [InlineData(32)]
    [InlineData(33)]
    [InlineData(5_000)]
    public void Steps_are_those_that_were_added(int count)
    {
        var random = new Random(count);
        var list = new SyncStepList();
        var added = new List<SyncStep>();
        for (int i = 0; i < count; i++)
        {
            SyncStep step = Step(random, i);
            added.Add(step);
            list.Add(step);
        }

        Assert.Equal(count, list.Count);
        Assert.Equal(added, list);
        Assert.Equal(0, list.UnpackedSteps);
        for (int i = 0; i < count; i += 7)
        {
            Assert.Equal(added[i], list[i]);
        }

        Assert.Throws<ArgumentOutOfRangeException>(() => list[count]);
        Assert.Throws<ArgumentOutOfRangeException>(() => list[-1]);
        Assert.Equal(added.Where(static step => step.Length % 2 == 0), list.Where(static step => step.Length % 2 == 0));
        var joined = new JoinedSteps([list, list]);
        Assert.Equal([.. added, .. added], joined);
        Assert.Equal(2 * count, joined.Count);
        if (count > 0)
        {
            Assert.Equal(added[^1], joined[^1]);
        }
    }

    [Fact]
    public void Million_names_take_few_bytes()
    {
        const int Count = 1_000_000;
        var here = new SyncStepList();
        var there = new SyncStepList();
        byte[] digest = new byte[Sha256Digest.Bytes];
        for (int i = 0; i < Count; i++)
        {
            var name = TransferName.Parse($"pictures/{i / 1000:0000}/IMG_{i:0000000}.jpeg");
            var modified = new FileTime(1_700_000_000 + i, 123_456_789);
            here.Add(new SyncStep(SyncAction.Add, new SyncEntry(name, 4096 + i, modified), null));
            if (i % 10 == 0)
            {
                there.Add(new SyncStep(
                    SyncAction.Remove, null, new SyncEntry(name, 4096, modified, new EntityTag("abcdefghijklmnopqrst"), new Sha256Digest(digest))));
            }
        }

        Assert.Equal(0, here.UnpackedSteps + there.UnpackedSteps);
        Assert.InRange(here.PackedBytes, 10L * Count, 26L * Count);
        Assert.InRange(there.PackedBytes, 60L * Count / 10, 90L * Count / 10);
    }

    private static SyncStep Step(Random random, int number)
    {
        SyncAction action = (SyncAction)random.Next(4);
        SyncEntry? source = action == SyncAction.Remove ? null : Entry(random, number);
        SyncEntry? target = action switch
        {
            SyncAction.Add => null,
            SyncAction.Replace => Entry(random, number) with { Name = source!.Name },
            _ => Entry(random, number),
        };
        return new SyncStep(action, source, target) { IsInTheWay = random.Next(5) == 0 };
    }

    private static SyncEntry Entry(Random random, int number)
    {
        byte[] digest = new byte[Sha256Digest.Bytes];
        random.NextBytes(digest);
        return new SyncEntry(
            TransferName.Parse($"{Parts[random.Next(Parts.Length)]}/{Parts[random.Next(Parts.Length)]}{number}"),
            random.Next(3) == 0 ? long.MaxValue >> random.Next(63) : random.Next(100),
            random.Next(4) == 0 ? default : new FileTime(random.NextInt64(-70_000_000_000, 300_000_000_000), random.Next(1_000_000_000)),
            random.Next(2) == 0 ? null : new EntityTag(Parts[random.Next(Parts.Length)]),
            random.Next(2) == 0 ? null : new Sha256Digest(digest))
        {
            IsExecutable = random.Next(2) == 0,
            LinkTarget = random.Next(3) switch
            {
                0 => Parts[random.Next(Parts.Length)],
                1 => string.Join('/', Enumerable.Repeat(Parts[random.Next(Parts.Length)], random.Next(400))),
                _ => null,
            },
        };
    }
}

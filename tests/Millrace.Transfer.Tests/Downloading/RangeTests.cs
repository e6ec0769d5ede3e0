namespace Millrace.Transfer.Tests.Downloading;

public sealed class RangeTests : ServerTest
{
    [Fact]
    public async Task Several_ranges_are_fetched_at_once_over_a_long_route()
    {
        byte[] content = Server.Write("x", 20_000_000);
        await using var relay = new TestRelay(
            () => Server.Port, _ => new RelayPlan { Delay = TimeSpan.FromMilliseconds(25), Window = 64 * 1024 });
        using TransferClient client = Clients.To(relay.Files);

        TransferResult result = await client.GetAsync(Clients.Name("x"), Folder["x"]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["x"]));
        Assert.Equal(Sha256Digest.Compute(content), result.Sha256);
        Assert.InRange(relay.MaxOpen, 2, 5);
        Assert.Equal(["x"], Folder.Files);
    }

    [Fact]
    public async Task One_connection_is_used_over_a_short_route()
    {
        Server.Write("x", 20_000_000);
        await using var relay = new TestRelay(() => Server.Port);
        using TransferClient client = Clients.WithoutTime(relay.Files, TransferProtocol.Auto);

        await client.GetAsync(Clients.Name("x"), Folder["x"]);

        Assert.Equal(1, relay.MaxOpen);
    }

    [Fact]
    public async Task Interrupted_ranges_resume()
    {
        byte[] content = Server.Write("x", 20_000_000);
        await using var relay = new TestRelay(() => Server.Port, connection => new RelayPlan
        {
            Delay = TimeSpan.FromMilliseconds(25),
            Window = 128 * 1024,
            CutDownAfter = connection is > 0 and < 6 ? connection * 333_333 : null,
        });
        using TransferClient client = Clients.To(relay.Files);

        await client.GetAsync(Clients.Name("x"), Folder["x"]);

        Assert.Equal(content, await File.ReadAllBytesAsync(Folder["x"]));
        Assert.True(relay.Connections > 6);
    }

    [Theory]
    [InlineData(9, 1_000_000, 1.5, 100_000_000, false)]
    [InlineData(10, 1_000_000, 0.9, 100_000_000, false)]
    [InlineData(10, 1_000_000, 1.0, 100_000_000, true)]
    [InlineData(60, 100_000_000, 1.0, 100_000_000, false)]
    [InlineData(60, 10, 1.0, 2_000_000, false)]
    public void Several_connections_are_used_by_the_rule(int roundTrip, long moved, double seconds, long left, bool several) =>
        Assert.Equal(several, RangeRule.IsWorthIt(
            TimeSpan.FromMilliseconds(roundTrip), moved, TimeSpan.FromSeconds(seconds), left));

    [Fact]
    public void Queue_assigns_every_byte()
    {
        var random = new Random(4);
        var queue = new RangeQueue([0, 5_000_000, 7_000_000, 30_000_000]);
        var taken = new List<RangeQueue.Piece>();
        long missing = 28_000_000;
        while (missing > 0)
        {
            if (taken.Count < 4 && queue.Take() is { } piece)
            {
                taken.Add(piece);
            }

            RangeQueue.Piece some = taken[random.Next(taken.Count)];
            missing = queue.Advance(some, (int)Math.Min(queue.LeftOf(some), random.Next(1, 900_000)));
            taken.RemoveAll(one => queue.LeftOf(one) == 0);
        }

        Assert.Empty(queue.Missing());
    }
}

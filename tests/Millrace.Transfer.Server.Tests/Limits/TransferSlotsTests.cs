namespace Millrace.Transfer.Server.Tests.Limits;

public sealed class TransferSlotsTests
{
    [Fact]
    public void Each_has_its_own_places()
    {
        var slots = new TransferSlots(2);
        Assert.True(slots.TryTake("a"));
        Assert.True(slots.TryTake("a"));
        Assert.False(slots.TryTake("a"));
        Assert.True(slots.TryTake("b"));
        Assert.Equal(3, slots.Running);
        slots.Release("a");
        Assert.True(slots.TryTake("a"));
    }

    [Fact]
    public void No_place_is_lost_or_given_twice_among_many_threads()
    {
        const int most = 3;
        var slots = new TransferSlots(most);
        int inside = 0;
        int tooMany = 0;
        Parallel.For(0, 20_000, _ =>
        {
            if (!slots.TryTake("a"))
            {
                return;
            }

            if (Interlocked.Increment(ref inside) > most)
            {
                Interlocked.Increment(ref tooMany);
            }

            Interlocked.Decrement(ref inside);
            slots.Release("a");
        });
        Assert.Equal(0, tooMany);
        Assert.Equal(0, slots.Running);
    }
}

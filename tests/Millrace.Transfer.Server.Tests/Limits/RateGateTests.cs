namespace Millrace.Transfer.Server.Tests.Limits;

/// <summary>How a rate is divided, by a clock that the test advances.</summary>
public sealed class RateGateTests : IDisposable
{
    private const int Rate = 1_000_000;
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    private readonly StepClock _clock = new();
    private readonly TransferMeter _meter = new();

    public void Dispose() => _meter.Dispose();

    [Fact]
    public async Task Rate_is_kept_over_time()
    {
        using RateGate gate = Open(Rate);
        await using var one = new Taker(gate.Open("one", null));
        await RunAsync(gate, TimeSpan.FromSeconds(10), one);
        Assert.InRange(one.Bytes, 9.8 * Rate, 10.5 * Rate);
    }

    [Fact]
    public async Task Callers_have_the_same_share_however_many_requests_they_send()
    {
        using RateGate gate = Open(Rate);
        await using var single = new Taker(gate.Open("single", null));
        await using var many = new Takers(Enumerable.Range(0, 50).Select(_ => gate.Open("many", null)));
        await RunAsync(gate, TimeSpan.FromSeconds(20), [single, .. many.All]);
        Assert.InRange(single.Bytes, 0.45 * 20 * Rate, 0.55 * 20 * Rate);
        Assert.InRange(many.All.Min(static one => one.Bytes), 0.5 * 10 * Rate / 50, 1.5 * 10 * Rate / 50);
        Assert.InRange(many.All.Max(static one => one.Bytes), 0.5 * 10 * Rate / 50, 1.5 * 10 * Rate / 50);
    }

    [Fact]
    public async Task Requests_that_move_little_at_once_have_the_same_share_as_others()
    {
        using RateGate gate = Open(Rate);
        await using var small = new Taker(gate.Open("small", null), bytes: 1_000);
        await using var large = new Taker(gate.Open("large", null));
        await RunAsync(gate, TimeSpan.FromSeconds(5), small, large);
        Assert.InRange(small.Bytes, 0.4 * 5 * Rate, 0.6 * 5 * Rate);
    }

    [Fact]
    public async Task Rate_of_a_caller_leaves_the_rest_to_others_and_gives_no_claim_to_it()
    {
        using RateGate gate = Open(Rate);
        await using var slow = new Taker(gate.Open("slow", Rate / 10));
        await using var fast = new Taker(gate.Open("fast", null));
        await RunAsync(gate, TimeSpan.FromSeconds(10), slow, fast);
        Assert.InRange(slow.Bytes, 0.9 * Rate, 1.2 * Rate);
        Assert.InRange(fast.Bytes, 8.5 * Rate, 9.5 * Rate);

        // Its own rate was lifted: it has half of the rate from here, and does not make up for the time before.
        await using var lifted = new Taker(gate.Open("slow", null));
        long before = fast.Bytes;
        await RunAsync(gate, TimeSpan.FromSeconds(4), slow, fast, lifted);
        Assert.InRange(fast.Bytes - before, 0.4 * 4 * Rate, 0.6 * 4 * Rate);
    }

    [Fact]
    public async Task First_bytes_of_a_request_wait_for_no_others_but_count()
    {
        using RateGate gate = Open(Rate);
        await using var large = new Taker(gate.Open("one", null));
        await RunAsync(gate, TimeSpan.FromSeconds(1), large);
        TimeSpan frozen = _clock.Passed;
        int small = 0;
        while (true)
        {
            RateFlow flow = gate.Open("one", null);
            ValueTask<int> taken = flow.TakeAsync(50_000);
            if (!taken.IsCompleted)
            {
                flow.End();
                await taken;
                break;
            }

            Assert.Equal(50_000, await taken);
            flow.Close();
            small++;
        }

        // About a second's bytes in advance, which the others then wait for.
        Assert.Equal(frozen, _clock.Passed);
        Assert.InRange(small * 50_000L, Rate, 1.2 * Rate);
        long before = large.Bytes;
        await RunAsync(gate, TimeSpan.FromSeconds(0.9), large);
        Assert.Equal(before, large.Bytes);
    }

    [Fact]
    public async Task Wait_that_is_canceled_or_over_takes_nothing()
    {
        using RateGate gate = Open(Rate);
        RateFlow flow = gate.Open("one", null, moved: RateGate.FirstBytes);
        while (true)
        {
            ValueTask<int> waiting = flow.TakeAsync(1_000_000);
            if (!waiting.IsCompleted)
            {
                Assert.Equal(1, gate.Waiting);
                Assert.True(flow.TryCancel());
                Assert.False(flow.TryCancel());
                Assert.Equal(0, await waiting);
                break;
            }

            await waiting;
        }

        ValueTask<int> second = flow.TakeAsync(5);
        flow.End();
        Assert.Equal(5, await second);
        Assert.Equal(7, await flow.TakeAsync(7));
        Assert.Equal(0, gate.Waiting);
    }

    [Fact]
    public void Callers_that_owe_nothing_are_forgotten()
    {
        using RateGate gate = Open(null);
        for (int i = 0; i < 10_000; i++)
        {
            gate.Open($"{i}", Rate).Close();
        }

        Assert.InRange(gate.Callers, 1, 200);
    }

    [Fact]
    public async Task Turns_allocate_nothing()
    {
        using RateGate gate = Open(Rate);
        RateFlow flow = gate.Open("one", null, moved: RateGate.FirstBytes);
        await TakeManyAsync(flow, 100);
        Assert.InRange(await TakeManyAsync(flow, 2_000), 0, 2_000);
    }

    /// <returns>Bytes allocated on the threads that took and granted turns.</returns>
    private async Task<long> TakeManyAsync(RateFlow flow, int turns)
    {
        long allocated = 0;
        for (int i = 0; i < turns; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            ValueTask<int> turn = flow.TakeAsync(50_000);
            allocated += GC.GetAllocatedBytesForCurrentThread() - before;
            if (!turn.IsCompleted)
            {
                _clock.Advance(TimeSpan.FromMilliseconds(60));
            }

            Assert.Equal(50_000, await turn);
        }

        return allocated;
    }

    private RateGate Open(long? total) => new(total, _clock, _meter, "transmit");

    /// <summary>Advances the clock whenever everyone waits.</summary>
    private async Task RunAsync(RateGate gate, TimeSpan time, params Taker[] takers)
    {
        TimeSpan end = _clock.Passed + time;
        while (_clock.Passed < end)
        {
            await Bounded.UntilAsync(() => gate.Waiting == takers.Length);
            _clock.Advance(Step);
        }

        await Bounded.UntilAsync(() => gate.Waiting == takers.Length);
    }

    /// <summary>Takes bytes as long as it may.</summary>
    private sealed class Taker : IAsyncDisposable
    {
        private readonly RateFlow _flow;
        private readonly Task _taking;
        private long _bytes;
        private volatile bool _isOver;

        public Taker(RateFlow flow, int bytes = 1_000_000)
        {
            _flow = flow;
            _taking = TakeAsync(bytes);
        }

        public long Bytes => Interlocked.Read(ref _bytes);

        public async ValueTask DisposeAsync()
        {
            _isOver = true;
            _flow.Close();
            await _taking;
        }

        private async Task TakeAsync(int bytes)
        {
            while (!_isOver)
            {
                int taken = await _flow.TakeAsync(bytes);
                Interlocked.Add(ref _bytes, _isOver ? 0 : taken);
            }
        }
    }

    private sealed class Takers(IEnumerable<RateFlow> flows) : IAsyncDisposable
    {
        public Taker[] All { get; } = [.. flows.Select(static flow => new Taker(flow))];

        public async ValueTask DisposeAsync()
        {
            foreach (Taker one in All)
            {
                await one.DisposeAsync();
            }
        }
    }
}

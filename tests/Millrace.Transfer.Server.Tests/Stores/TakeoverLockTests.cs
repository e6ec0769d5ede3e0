namespace Millrace.Transfer.Server.Tests.Stores;

public sealed class TakeoverLockTests : IDisposable
{
    private static readonly TimeSpan Short = TimeSpan.FromMilliseconds(50);

    private readonly TakeoverLock _lock = new(Bounded.Patience);

    public void Dispose() => _lock.Dispose();

    [Fact]
    public async Task Free_lock_is_acquired_at_once()
    {
        Assert.False(_lock.IsHeld);
        ValueTask<TakeoverLock.Holder?> acquired = _lock.AcquireAsync(CancellationToken.None);
        Assert.True(acquired.IsCompleted);
        using TakeoverLock.Holder? holder = await acquired;
        Assert.True(_lock.IsHeld);
        Assert.False(holder!.Superseded.IsCancellationRequested);
    }

    [Fact]
    public async Task Second_caller_cancels_the_holder_and_waits_for_its_release()
    {
        TakeoverLock.Holder first = (await _lock.AcquireAsync(CancellationToken.None))!;
        Task<TakeoverLock.Holder?> second = _lock.AcquireAsync(CancellationToken.None).AsTask();

        Assert.True(first.Superseded.IsCancellationRequested);
        Assert.False(second.IsCompleted);

        first.Dispose();
        using TakeoverLock.Holder? holder = await second.Soon();
        Assert.False(holder!.Superseded.IsCancellationRequested);
        Assert.True(_lock.IsHeld);
    }

    [Fact]
    public async Task Caller_that_has_gone_does_not_stop_the_holder()
    {
        using TakeoverLock.Holder? holder = await _lock.AcquireAsync(CancellationToken.None);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            async () => await _lock.AcquireAsync(new CancellationToken(canceled: true)));

        Assert.False(holder!.Superseded.IsCancellationRequested);
    }

    [Fact]
    public async Task Caller_that_came_while_another_waited_supersedes_it_as_soon_as_it_holds_the_lock()
    {
        TakeoverLock.Holder first = (await _lock.AcquireAsync(CancellationToken.None))!;
        Task<TakeoverLock.Holder?> second = _lock.AcquireAsync(CancellationToken.None).AsTask();
        Task<TakeoverLock.Holder?> third = _lock.AcquireAsync(CancellationToken.None).AsTask();
        first.Dispose();

        // Whichever of the two comes first has to make way for the other.
        Task<TakeoverLock.Holder?> winner = await Task.WhenAny(second, third).Soon();
        TakeoverLock.Holder holder = (await winner)!;
        Assert.True(holder.Superseded.IsCancellationRequested);
        holder.Dispose();
        using TakeoverLock.Holder? last = await (winner == second ? third : second).Soon();
        Assert.False(last!.Superseded.IsCancellationRequested);
    }

    [Fact]
    public async Task Holder_that_does_not_let_go_keeps_the_lock()
    {
        using var impatient = new TakeoverLock(Short);
        using TakeoverLock.Holder? holder = await impatient.AcquireAsync(CancellationToken.None);

        Assert.Null(await impatient.AcquireAsync(CancellationToken.None).Soon());
        Assert.True(impatient.IsHeld);
    }

    [Fact]
    public async Task Canceled_wait_leaves_the_lock_usable()
    {
        TakeoverLock.Holder first = (await _lock.AcquireAsync(CancellationToken.None))!;
        using var cancel = new CancellationTokenSource();
        Task<TakeoverLock.Holder?> waiting = _lock.AcquireAsync(cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.Soon());

        first.Dispose();
        using TakeoverLock.Holder? next = await _lock.AcquireAsync(CancellationToken.None);
        Assert.False(next!.Superseded.IsCancellationRequested);
    }

    [Fact]
    public async Task Second_release_does_not_free_the_lock_of_the_next_holder()
    {
        TakeoverLock.Holder first = (await _lock.AcquireAsync(CancellationToken.None))!;
        first.Dispose();
        using TakeoverLock.Holder? second = await _lock.AcquireAsync(CancellationToken.None);
        first.Dispose();

        Assert.True(_lock.IsHeld);
        Task<TakeoverLock.Holder?> third = _lock.AcquireAsync(CancellationToken.None).AsTask();
        Assert.False(third.IsCompleted);
        second!.Dispose();
        (await third.Soon())!.Dispose();
    }

    [Fact]
    public async Task Holder_can_release_from_the_callback_of_its_cancellation()
    {
        TakeoverLock.Holder first = (await _lock.AcquireAsync(CancellationToken.None))!;
        first.Superseded.Register(first.Dispose);

        using TakeoverLock.Holder? second = await _lock.AcquireAsync(CancellationToken.None).Soon();

        Assert.NotNull(second);
    }

    [Fact]
    public async Task Many_callers_hold_the_lock_one_at_a_time()
    {
        int inside = 0;
        int tooMany = 0;
        await Task.WhenAll(Enumerable.Range(0, 200).Select(_ => Task.Run(async () =>
        {
            using TakeoverLock.Holder? holder = await _lock.AcquireAsync(CancellationToken.None);
            if (Interlocked.Increment(ref inside) != 1)
            {
                Interlocked.Increment(ref tooMany);
            }

            await Task.Yield();
            Interlocked.Decrement(ref inside);
        }))).Soon();

        Assert.Equal(0, tooMany);
        Assert.False(_lock.IsHeld);
    }
}

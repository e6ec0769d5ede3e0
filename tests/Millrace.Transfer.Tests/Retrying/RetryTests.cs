namespace Millrace.Transfer.Tests.Retrying;

public sealed class RetryTests
{
    private static readonly TransferClientOptions Options = new()
    {
        MaxAttempts = 3,
        FirstDelay = TimeSpan.FromMilliseconds(1),
        MaxDelay = TimeSpan.FromMilliseconds(4),
    };

    [Fact]
    public async Task Lasting_failure_ends_after_MaxAttempts()
    {
        var policy = new RetryPolicy(Options, TimeProvider.System);
        int tries = 0;

        await Assert.ThrowsAsync<TransferException>(() => policy.RunAsync<int>(
            (_, _) => throw Failure(++tries > 0), CancellationToken.None));

        Assert.Equal(3, tries);
    }

    [Fact]
    public async Task Progress_resets_the_count()
    {
        var policy = new RetryPolicy(Options, TimeProvider.System);
        int tries = 0;

        int result = await policy.RunAsync(
            (state, _) =>
            {
                state.Reached(tries++);
                return tries < 50 ? throw Failure(transient: true) : ValueTask.FromResult(tries);
            },
            CancellationToken.None);

        Assert.Equal(50, result);
    }

    [Fact]
    public async Task Final_errors_are_not_retried()
    {
        var policy = new RetryPolicy(Options, TimeProvider.System);
        int tries = 0;

        await Assert.ThrowsAsync<TransferException>(() => policy.RunAsync<int>(
            (_, _) => throw Failure(transient: tries++ < 0), CancellationToken.None));

        Assert.Equal(1, tries);
    }

    [Fact]
    public void Waits_double_up_to_the_maximum_with_half_as_jitter()
    {
        var policy = new RetryPolicy(
            new TransferClientOptions { FirstDelay = TimeSpan.FromMilliseconds(100), MaxDelay = TimeSpan.FromMilliseconds(450) }, TimeProvider.System);
        var state = new RetryState();
        var waits = new List<double>();
        for (int i = 0; i < 4; i++)
        {
            state.Fail(Failure(transient: true), 10);
            waits.Add(policy.Delay(state, 1).TotalMilliseconds);
            Assert.Equal(policy.Delay(state, 1) / 2, policy.Delay(state, 0));
        }

        Assert.Equal([100, 200, 400, 450], waits);
    }

    [Fact]
    public void Server_may_ask_for_a_longer_wait()
    {
        var policy = new RetryPolicy(Options, TimeProvider.System);
        var state = new RetryState();
        state.Fail(new TransferException(TransferError.TooManyTransfers, "Busy.") { IsTransient = true, RetryAfter = TimeSpan.FromSeconds(7) }, 10);

        Assert.Equal(TimeSpan.FromSeconds(7), policy.Delay(state, 0.5));
    }

    [Fact]
    public void The_defaults_are_what_is_documented()
    {
        var options = new TransferClientOptions();

        Assert.Equal(10, options.MaxAttempts);
        Assert.Equal(TimeSpan.FromMilliseconds(200), options.FirstDelay);
        Assert.Equal(TimeSpan.FromSeconds(30), options.MaxDelay);
        Assert.Equal(TimeSpan.FromSeconds(30), options.IdleTimeout);
        Assert.Equal(4, options.MaxConnections);
        Assert.True(options.VerifyDigests);
        Assert.Equal(TransferProtocol.Auto, options.Protocol);
        Assert.Null(options.Token);
        Assert.Null(options.Link);
        Assert.Equal(Durability.OnCommit, options.Durability);
    }

    private static TransferException Failure(bool transient) =>
        new(TransferError.Disconnected, "Cut.") { IsTransient = transient };
}

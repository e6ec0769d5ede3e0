using Polly;
using Polly.Retry;

namespace Millrace.Transfer;

/// <summary>Tries again what a cut connection or a busy server ended: later each time, and not all clients at once.</summary>
internal sealed class RetryPolicy
{
    /// <summary>The longest wait that a server may ask for; longer ones are the caller's business.</summary>
    private static readonly TimeSpan LongestAsked = TimeSpan.FromMinutes(5);

    private static readonly ResiliencePropertyKey<RetryState> StateKey = new("millrace.retry");

    private readonly ResiliencePipeline _pipeline;
    private readonly TransferClientOptions _options;

    public RetryPolicy(TransferClientOptions options, TimeProvider clock)
    {
        _options = options;
        _pipeline = new ResiliencePipelineBuilder { TimeProvider = clock }
            .AddRetry(new RetryStrategyOptions
            {
                // RetryState counts: the pipeline's own number knows nothing of progress.
                MaxRetryAttempts = int.MaxValue,
                MaxDelay = null,
                ShouldHandle = arguments => ValueTask.FromResult(
                    arguments.Outcome.Exception is TransferException exception
                    && StateOf(arguments.Context).Fail(exception, _options.MaxAttempts)),
                DelayGenerator = arguments => ValueTask.FromResult<TimeSpan?>(Delay(StateOf(arguments.Context), Random.Shared.NextDouble())),
            })
            .Build();
    }

    /// <summary>Runs an attempt, and others where that helps.</summary>
    public async Task<T> RunAsync<T>(
        Func<RetryState, CancellationToken, ValueTask<T>> attempt, CancellationToken cancellationToken, RetryState? state = null)
    {
        state ??= new RetryState();
        ResilienceContext context = ResilienceContextPool.Shared.Get(cancellationToken);
        context.Properties.Set(StateKey, state);
        try
        {
            return await _pipeline.ExecuteAsync(
                static (context, work) => work.attempt(work.state, context.CancellationToken), context, (attempt, state))
                .ConfigureAwait(false);
        }
        finally
        {
            ResilienceContextPool.Shared.Return(context);
        }
    }

    /// <summary>The wait after a failure: between half and all of what doubling gives, so that many clients do not come back together.</summary>
    /// <param name="state">The failures.</param>
    /// <param name="jitter">0 to 1.</param>
    public TimeSpan Delay(RetryState state, double jitter)
    {
        if (state.Asked is { } asked)
        {
            return asked < LongestAsked ? asked : LongestAsked;
        }

        int doublings = Math.Min(state.Failures - 1, 30);
        double longest = Math.Min(_options.FirstDelay.TotalMilliseconds * Math.Pow(2, doublings), _options.MaxDelay.TotalMilliseconds);
        return TimeSpan.FromMilliseconds(longest * (0.5 + (jitter / 2)));
    }

    private static RetryState StateOf(ResilienceContext context) =>
        context.Properties.TryGetValue(StateKey, out RetryState? state) ? state : throw new InvalidOperationException("No state.");
}

/// <summary>The tries of one transfer. Progress begins the count anew.</summary>
internal sealed class RetryState
{
    /// <summary>Tries so far, the running one included.</summary>
    public int Attempts { get; private set; } = 1;

    /// <summary>Tries that failed since the last progress.</summary>
    public int Failures { get; private set; }

    /// <summary>How long the other side asked to wait; null when it did not.</summary>
    public TimeSpan? Asked { get; private set; }

    private long _best = -1;

    /// <summary>So many bytes are there; more than ever before is progress.</summary>
    public void Reached(long bytes)
    {
        if (bytes > _best)
        {
            if (_best >= 0)
            {
                Failures = 0;
            }

            _best = bytes;
        }
    }

    /// <summary>A try failed.</summary>
    /// <returns>Whether there is another one.</returns>
    public bool Fail(TransferException exception, int most)
    {
        Failures++;
        Asked = exception.RetryAfter;
        if (!exception.IsTransient || Failures >= most)
        {
            return false;
        }

        Attempts++;
        return true;
    }
}

namespace Millrace.Transfer.Tests.Infrastructure;

/// <summary>The system's clock, but for waits of one length, which are over at once and counted.</summary>
internal sealed class PassingClock(TimeSpan wait, Action then) : TimeProvider
{
    private int _waits;

    public int Waits => Volatile.Read(ref _waits);

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        if (dueTime == wait)
        {
            Interlocked.Increment(ref _waits);
            then();
            dueTime = TimeSpan.Zero;
        }

        return base.CreateTimer(callback, state, dueTime, period);
    }
}

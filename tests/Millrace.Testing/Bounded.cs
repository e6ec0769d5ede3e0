namespace Millrace.Testing;

/// <summary>Waits that end a test which would hang. No outcome depends on the time.</summary>
public static class Bounded
{
    /// <summary>Longer than anything here takes on a machine that is busy with something else.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(5);

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(5);

    public static Task<T> Soon<T>(this ValueTask<T> task) => task.AsTask().WaitAsync(Patience);

    public static Task Soon(this ValueTask task) => task.AsTask().WaitAsync(Patience);

    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(Patience);

    public static Task Soon(this Task task) => task.WaitAsync(Patience);

    /// <summary>Waits until a condition holds.</summary>
    public static Task UntilAsync(Func<bool> condition) => UntilAsync(() => Task.FromResult(condition()));

    public static async Task UntilAsync(Func<Task<bool>> condition)
    {
        for (long end = Environment.TickCount64 + (long)Patience.TotalMilliseconds; !await condition();)
        {
            Assert.True(Environment.TickCount64 < end, $"The condition did not hold within {Patience}.");
            await Task.Delay(Step);
        }
    }
}

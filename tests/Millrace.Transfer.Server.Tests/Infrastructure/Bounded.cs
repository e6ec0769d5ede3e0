namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Waits that end a test which would hang. No outcome depends on the time.</summary>
internal static class Bounded
{
    /// <summary>Longer than anything here takes on a machine that is busy with something else.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static Task<T> Soon<T>(this ValueTask<T> task) => task.AsTask().WaitAsync(Patience);

    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(Patience);

    public static Task Soon(this Task task) => task.WaitAsync(Patience);

    /// <summary>Waits until something is so.</summary>
    public static async Task UntilAsync(Func<Task<bool>> condition)
    {
        for (long end = Environment.TickCount64 + (long)Patience.TotalMilliseconds; !await condition();)
        {
            Assert.True(Environment.TickCount64 < end, "It did not come to be so.");
            await Task.Delay(5);
        }
    }
}

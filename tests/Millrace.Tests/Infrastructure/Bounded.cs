namespace Millrace.Tests.Infrastructure;

/// <summary>Waits that end a test which would hang. No outcome depends on the time.</summary>
internal static class Bounded
{
    /// <summary>Longer than anything here takes on a machine that is busy with something else.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static Task<T> Soon<T>(this ValueTask<T> task) => task.AsTask().WaitAsync(Patience);

    public static Task Soon(this ValueTask task) => task.AsTask().WaitAsync(Patience);

    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(Patience);

    public static Task Soon(this Task task) => task.WaitAsync(Patience);
}

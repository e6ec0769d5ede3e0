namespace Millrace.Transfer.Server.Tests.Infrastructure;

/// <summary>Waits for what another thread does, with a generous bound.</summary>
internal static class Eventually
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(10);

    public static async Task TrueAsync(Func<bool> condition)
    {
        long began = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(began) < Limit, "It did not happen within a minute.");
            await Task.Delay(Step);
        }
    }
}

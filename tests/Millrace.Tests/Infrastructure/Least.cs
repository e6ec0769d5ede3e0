namespace Millrace.Tests.Infrastructure;

/// <summary>
/// Measures by how much a counter of the process grows, several times: once within the limit is enough, because other work of the
/// process meanwhile counts too.
/// </summary>
internal static class Least
{
    private const int Rounds = 8;

    public static Func<long> AllocatedBytes { get; } = static () => GC.GetTotalAllocatedBytes(precise: true);

    public static long Of(Func<long> counter, long limit, Action action)
    {
        long least = long.MaxValue;
        for (int round = 0; round < Rounds && least > limit; round++)
        {
            long before = counter();
            action();
            least = Math.Min(least, counter() - before);
        }

        return least;
    }

    public static async Task<long> OfAsync(Func<long> counter, long limit, Func<Task> action)
    {
        long least = long.MaxValue;
        for (int round = 0; round < Rounds && least > limit; round++)
        {
            long before = counter();
            await action();
            least = Math.Min(least, counter() - before);
        }

        return least;
    }
}

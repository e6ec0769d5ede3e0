namespace Millrace.Tests.Infrastructure;

/// <summary>
/// Measures by how much a counter of the process grows, several times: once within the limit is enough, because what else the
/// process does meanwhile counts too.
/// </summary>
internal static class Least
{
    private const int Rounds = 8;

    public static Func<long> AllocatedBytes { get; } = static () => GC.GetTotalAllocatedBytes(precise: true);

    /// <summary>The process's read(2) and its like so far. https://man7.org/linux/man-pages/man5/proc_pid_io.5.html</summary>
    public static Func<long> Reads { get; } = static () => Io("syscr: ");

    /// <summary>The process's write(2) and its like so far.</summary>
    public static Func<long> Writes { get; } = static () => Io("syscw: ");

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

    private static long Io(string field) => File
        .ReadLines("/proc/self/io")
        .Where(line => line.StartsWith(field, StringComparison.Ordinal))
        .Select(line => long.Parse(line.AsSpan(field.Length)))
        .Single();
}

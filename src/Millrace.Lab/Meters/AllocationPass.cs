using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>
/// Counts what a method allocates and how often that makes the collector run, in a pass of its own: reading the exact
/// counter stops all threads.
/// </summary>
/// <remarks>
/// The runtime's counters are read directly. BenchmarkDotNet's GcStats, which reads the same ones, forces a collection
/// at every reading; after that, pools trim themselves on the finalizer's thread and allocate up to 2.7 KB beside the
/// method. Over thousands of invocations that is nothing, but a whole file is invoked a few times only, and what a
/// method allocates for one is 160 bytes.
/// </remarks>
internal static class AllocationPass
{
    private const int MinimumInvocations = 3;
    private const int MaximumInvocations = 64;
    private const double PassNs = 60e6;
    private const int Generations = 3;
    private const double Thousand = 1000;

    /// <summary>Measures one case.</summary>
    public static AllocationResult Measure(CaseEngineOf entry)
    {
        int invocations = entry.Case.ExpectedNs <= 0
            ? MinimumInvocations
            : (int)Math.Clamp(PassNs / entry.Case.ExpectedNs, MinimumInvocations, MaximumInvocations);

        // The first invocation after another case may fill pools; it is not this case's price.
        entry.Engine.Prepare();
        entry.Engine.Invoke();

        long bytes = 0;
        Span<int> collections = stackalloc int[Generations];
        for (int i = 0; i < invocations; i++)
        {
            // Preparing may allocate too, so only the invocation is between the readings.
            entry.Engine.Prepare();
            Count(collections, sign: -1);
            long before = GC.GetTotalAllocatedBytes(precise: true);
            entry.Engine.Invoke();
            bytes += GC.GetTotalAllocatedBytes(precise: true) - before;
            Count(collections, sign: 1);
        }

        double perThousand = Thousand / invocations;
        return new AllocationResult(
            (double)bytes / invocations,
            collections[0] * perThousand,
            collections[1] * perThousand,
            collections[2] * perThousand,
            invocations);
    }

    private static void Count(Span<int> collections, int sign)
    {
        for (int generation = 0; generation < collections.Length; generation++)
        {
            collections[generation] += sign * GC.CollectionCount(generation);
        }
    }
}

using BenchmarkDotNet.Engines;
using Millrace.Lab.Running;

namespace Millrace.Lab.Meters;

/// <summary>
/// Counts what a method allocates and how often that makes the collector run, with BenchmarkDotNet's counters, in a pass
/// of its own: reading them exactly stops all threads.
/// </summary>
internal static class AllocationPass
{
    private const int MinimumInvocations = 3;
    private const int MaximumInvocations = 64;
    private const double PassNs = 60e6;

    /// <summary>Measures one case.</summary>
    /// <returns>Null where the runtime does not count.</returns>
    public static AllocationResult? Measure(CaseEngineOf entry)
    {
        int invocations = entry.Case.ExpectedNs <= 0
            ? MinimumInvocations
            : (int)Math.Clamp(PassNs / entry.Case.ExpectedNs, MinimumInvocations, MaximumInvocations);

        // The first invocation after another case may fill pools; it is not this case's price.
        entry.Engine.Prepare();
        entry.Engine.Invoke();

        // Preparing may allocate too, so only the invocation is between the two readings.
        GcStats total = MeasureOnce(entry.Engine);
        for (int i = 1; i < invocations; i++)
        {
            total += MeasureOnce(entry.Engine);
        }

        // GetTotalAllocatedBytes(true) would call anything under 8 KiB nothing, which is what single invocations are
        // about here; .NET's counter is exact, so there is no quantum to exclude.
        return total.GetTotalAllocatedBytes(excludeAllocationQuantumSideEffects: false) is { } bytes
            ? new AllocationResult(
                (double)bytes / invocations,
                PerThousand(total.Gen0Collections),
                PerThousand(total.Gen1Collections),
                PerThousand(total.Gen2Collections),
                invocations)
            : null;

        double PerThousand(int collections) => collections * 1000.0 / invocations;
    }

    private static GcStats MeasureOnce(CaseEngine engine)
    {
        engine.Prepare();
        GcStats before = GcStats.ReadInitial();
        engine.Invoke();
        return GcStats.ReadFinal() - before;
    }
}

namespace Millrace.Lab.Meters;

/// <summary>
/// Counts a method's allocations and how often that makes the collector run, in a separate pass: reading the exact
/// counter stops all threads.
/// </summary>
/// <remarks>
/// The runtime's counters are read directly. BenchmarkDotNet's GcStats, which reads the same ones, forces a collection
/// at every reading; after that, pools trim themselves on the finalizer's thread and allocate up to 2.7 KB beside the
/// method. Over thousands of invocations that is nothing, but a whole file is read a few times only, for which a
/// method allocates 160 bytes.
/// </remarks>
internal static class AllocationPass
{
    private const int MinimumInvocations = 3;
    private const int MaximumInvocations = 64;
    private const double PassNs = 60e6;

    // One invocation that takes so long is enough: other allocations are lost in it.
    private const double LongNs = 100e6;

    public static void Measure(LabCase entry)
    {
        int invocations = entry.ExpectedNs <= 0
            ? MinimumInvocations
            : (int)Math.Clamp(PassNs / entry.ExpectedNs, MinimumInvocations, MaximumInvocations);

        if (entry.ExpectedNs > LongNs)
        {
            invocations = 1;
        }

        // The first invocation after another case may fill pools; it is not this case's price.
        entry.Prepare();
        entry.Invoke();
        entry.Finish();

        for (int i = 0; i < invocations; i++)
        {
            // Preparing may allocate too, so only the invocation is between the readings.
            entry.Prepare();
            int gen0 = GC.CollectionCount(0);
            int gen1 = GC.CollectionCount(1);
            int gen2 = GC.CollectionCount(2);
            long before = GC.GetTotalAllocatedBytes(precise: true);
            entry.Invoke();
            long bytes = GC.GetTotalAllocatedBytes(precise: true) - before;
            int ended0 = GC.CollectionCount(0);
            int ended1 = GC.CollectionCount(1);
            int ended2 = GC.CollectionCount(2);
            entry.Finish();
            entry.Allocations.Add(new AllocationSample(
                bytes, ended0 - gen0, ended1 - gen1, ended2 - gen2));
        }
    }
}

/// <summary>One invocation's allocations on all threads, and how often garbage of a generation or higher was collected.</summary>
internal readonly record struct AllocationSample(long Bytes, int Gen0, int Gen1, int Gen2);

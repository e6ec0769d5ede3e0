namespace Millrace.Lab.Running;

/// <summary>
/// Measures the memory that one case takes, in a process that runs nothing else: other cases would leave filled pools.
/// </summary>
/// <remarks>
/// Before the case, the method runs once on very little, so that the code is compiled: the compiler's memory is not the
/// method's. Then the heap is collected, and the case's peak is compared with the memory of the idle process.
/// </remarks>
internal static class CaseMemory
{
    private const int Collections = 3;

    public static MemoryResult Measure(Suite suite, MemoryRequest request)
    {
        if (!OperatingSystem.IsLinux())
        {
            return MemoryResult.Unavailable("only Linux resets and keeps a peak (/proc/self/clear_refs, VmHWM)");
        }

        PlannedCase planned = suite.Select(request.Options, request.Inputs, request.Server)[request.Plan];
        PlannedCase small = suite.Small(planned, request.Options, request.Inputs);
        if (small.CachedFile is { Generated: true } file && !File.Exists(file.Path))
        {
            CacheControl.EstablishOrExplain(file, CacheFill.LargeWrites);
        }

        // Before the case: its memory is not the case's.
        using CacheControl? control = planned.CachedFile is { } cached ? CacheControl.Open(cached) : null;
        try
        {
            small.Clear();
            int? process = Invoke(small);
            planned.Clear();
            if (control?.Prepare(planned.Cache, planned.Fill) is { } violation)
            {
                return MemoryResult.Unavailable($"the state was not as the case states: {violation}");
            }

            CollectAll();
            long idle = PeakMemory.ReadResident(process);
            PeakMemory.Reset(process);
            Invoke(planned);
            long peak = PeakMemory.ReadPeak(process);
            return new MemoryResult(peak, Math.Max(0, peak - idle), Reason: null);
        }
        finally
        {
            planned.Clear();
        }
    }

    // Returns the process that did it; null for this one.
    private static int? Invoke(PlannedCase planned)
    {
        using CaseMethod method = planned.Create();
        method.Find(planned.Method)();
        return method.WorkingProcess;
    }

    // Everything that the warm-up left: garbage, pooled blocks (given back by the finalizer's thread after a collection), freed native
    // memory that malloc keeps.
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static void CollectAll()
    {
#pragma warning disable RS0030
        for (int i = 0; i < Collections; i++)
        {
            GC.Collect(GC.MaxGeneration, GCCollectionMode.Aggressive);
            GC.WaitForPendingFinalizers();
        }
#pragma warning restore RS0030

        LinuxMemory.Trim();
    }
}

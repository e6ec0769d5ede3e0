using System.Reflection;
using Millrace.Lab.Interop;
using Millrace.Lab.Meters;
using Millrace.Lab.Running;

namespace Millrace.Lab.Suites.Files;

/// <summary>
/// The memory that one case takes, in a process that runs nothing else: other cases would leave pools behind that this one
/// finds filled.
/// </summary>
/// <remarks>
/// Before the case, the method runs once on a file of one page with the smallest buffer, so that the code is compiled:
/// the compiler's memory is not the method's. Then the heap is collected and the idle process is what is left.
/// </remarks>
internal static class FilesMemory
{
    private const int WarmUpBytes = 4096;
    private const int WarmUpBuffer = 512;
    private const int Collections = 3;

    /// <summary>Measures.</summary>
    public static MemoryResult Measure(FileCase planned)
    {
        if (!OperatingSystem.IsLinux())
        {
            return MemoryResult.Unavailable("only Linux resets and keeps a peak (/proc/self/clear_refs, VmHWM)");
        }

        string small = Path.Combine(Path.GetTempPath(), $"millrace-memory-{Environment.ProcessId}.bin");
        try
        {
            File.WriteAllBytes(small, new byte[WarmUpBytes]);
            Invoke(planned with
            {
                Source = new TestFile(small, WarmUpBytes, Checksum: 0, Generated: true),
                Buffer = WarmUpBuffer,
            });
        }
        finally
        {
            File.Delete(small);
        }

        // Opened before, as its own memory is not the case's either.
        using CacheControl control = CacheControl.Open(planned.Source);
        string? violation = control.Prepare(planned.Cache, planned.Fill);
        if (violation is not null)
        {
            return MemoryResult.Unavailable($"the file's state was not as the case states: {violation}");
        }

        LeaveNothing();
        long idle = PeakMemory.ReadResident();
        PeakMemory.Reset();
        Invoke(planned);
        long peak = PeakMemory.ReadPeak();
        return new MemoryResult(peak, Math.Max(0, peak - idle), Reason: null);
    }

    private static void Invoke(FileCase planned)
    {
        var benchmark = new FileReading();
        foreach ((string name, object value) in planned.Values)
        {
            typeof(FileReading).GetProperty(name)!.SetValue(benchmark, value);
        }

        benchmark.Setup();
        MethodInfo method = typeof(FileReading).GetMethod(planned.Method)!;
        if (method.Invoke(benchmark, null) is ValueTask<long> pending)
        {
            // A benchmark process has no other work; there is nothing that this could keep waiting.
            pending.AsTask().GetAwaiter().GetResult();
        }
    }

    // What the warm-up left: garbage, pooled blocks (given back by the finalizer's thread after a collection), freed native
    // memory that malloc keeps.
    [System.Runtime.Versioning.SupportedOSPlatform("linux")]
    private static void LeaveNothing()
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

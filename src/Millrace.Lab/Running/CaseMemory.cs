using System.Reflection;
using BenchmarkDotNet.Attributes;
using Millrace.Lab.Interop;
using Millrace.Lab.Meters;

namespace Millrace.Lab.Running;

/// <summary>
/// The memory that one case takes, in a process that runs nothing else: other cases would leave pools behind that this one
/// finds filled.
/// </summary>
/// <remarks>
/// Before the case, the method runs once on next to nothing, so that the code is compiled: the compiler's memory is not the
/// method's. Then the heap is collected and the idle process is what is left.
/// </remarks>
internal static class CaseMemory
{
    private const int Collections = 3;

    /// <summary>Why it cannot be measured here; null when it can.</summary>
    public static string? WhyNot => OperatingSystem.IsLinux()
        ? null
        : "only Linux resets and keeps a peak (/proc/self/clear_refs, VmHWM)";

    /// <summary>Measures.</summary>
    /// <param name="small">The case with very little to do.</param>
    /// <param name="planned">The case itself.</param>
    /// <param name="prepare">Brings about the state that the case asks for; returns what is wrong with it, or null.</param>
    /// <param name="process">The process that does the work, when it is not this one.</param>
    public static MemoryResult Measure(PlannedCase small, PlannedCase planned, Func<string?> prepare, Func<int?>? process = null)
    {
        if (!OperatingSystem.IsLinux())
        {
            return MemoryResult.Unavailable(WhyNot!);
        }

        Invoke(small);
        if (prepare() is { } violation)
        {
            return MemoryResult.Unavailable($"the state was not as the case states: {violation}");
        }

        LeaveNothing();
        int? worker = process?.Invoke();
        long idle = PeakMemory.ReadResident(worker);
        PeakMemory.Reset(worker);
        Invoke(planned);
        long peak = PeakMemory.ReadPeak(worker);
        return new MemoryResult(peak, Math.Max(0, peak - idle), Reason: null);
    }

    private static void Invoke(PlannedCase planned)
    {
        Type type = planned.BenchmarkClass;
        object benchmark = Activator.CreateInstance(type)!;
        foreach ((string name, object value) in planned.Values)
        {
            type.GetProperty(name)!.SetValue(benchmark, value);
        }

        Call<GlobalSetupAttribute>(type, benchmark);
        object? result = type.GetMethod(planned.BenchmarkMethod)!.Invoke(benchmark, null);
        if (result is not null && result.GetType().GetMethod(nameof(ValueTask.AsTask)) is { } asTask)
        {
            // A benchmark process has no other work; there is nothing that this could keep waiting.
            ((Task)asTask.Invoke(result, null)!).GetAwaiter().GetResult();
        }

        Call<GlobalCleanupAttribute>(type, benchmark);
    }

    private static void Call<TAttribute>(Type type, object benchmark)
        where TAttribute : Attribute
    {
        MethodInfo? method = Array.Find(type.GetMethods(), item => item.IsDefined(typeof(TAttribute)));
        method?.Invoke(benchmark, null);
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

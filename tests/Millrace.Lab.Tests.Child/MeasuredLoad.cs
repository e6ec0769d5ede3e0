using System.Text.Json;
using Millrace.Lab.Data;
using Millrace.Lab.Machine;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Tests.Child;

/// <summary>Measures a load with the laboratory's meters and prints the results as JSON.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class MeasuredLoad
{
    private const int MemoryPages = 20_000;

    public static int Print(string path)
    {
        using var meters = new ProcessMeters();
        using var calls = new SystemCallPass();
        var answers = new Dictionary<string, object>();
        foreach (string method in KnownLoad.Names)
        {
            answers[method] = Measure(method, path, meters, calls);
        }

        answers["callReason"] = calls.Reason ?? "";
        answers["costs"] = MeterCostProbe.Measure(meters).Count;

        // The least of a few, as with allocations: now and then the runtime compiles meanwhile, which takes up to 2 MB.
        answers["peak"] = Enumerable.Range(0, 5).Min(_ => Peak());
        Console.WriteLine(JsonSerializer.Serialize(answers));
        return 0;
    }

    private static object Measure(string method, string path, ProcessMeters meters, SystemCallPass calls)
    {
        using LabCase entry = KnownCase.Open(method, () => new KnownLoad(path), meters);
        entry.ExpectedNs = 0;

        // The one of a few in which the runtime's threads did least: on a busy machine one may compile meanwhile, which touches many pages.
        Sample hot = Enumerable.Range(0, 5).Select(_ => entry.Measure(round: 0)).MinBy(sample => sample.Used.MinorFaults);
        AllocationPass.Measure(entry);
        calls.Measure(entry);
        using (var view = new PageCacheView(path))
        {
            view.Drop();
        }

        Sample cold = entry.Measure(round: 1);
        return new
        {
            hot.WallNs,
            Hot = hot.Used,
            Cold = cold.Used,
            Allocated = entry.Allocations.MinBy(sample => sample.Bytes),
            SystemCalls = entry.SystemCalls.Count == 0 ? -1 : entry.SystemCalls.Min(),
        };
    }

    // Memory that is touched and returned before a reading: a sampling meter would miss it.
    private static unsafe long Peak()
    {
        nuint bytes = (nuint)(MemoryPages * Environment.SystemPageSize);
        long before = PeakMemory.ReadResident();
        PeakMemory.Reset();
        byte* memory = (byte*)System.Runtime.InteropServices.NativeMemory.AlignedAlloc(
            bytes, (nuint)Environment.SystemPageSize);
        for (nuint offset = 0; offset < bytes; offset += (nuint)Environment.SystemPageSize)
        {
            memory[offset] = 1;
        }

        System.Runtime.InteropServices.NativeMemory.AlignedFree(memory);
        return PeakMemory.ReadPeak() - before;
    }
}

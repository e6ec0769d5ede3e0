using System.Text.Json;
using Millrace.Lab.Data;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Tests.Child;

/// <summary>Lets the laboratory count the objects of known loads and prints the results as JSON.</summary>
internal static class MeasuredObjects
{
    public static int Print()
    {
        using var meters = new ProcessMeters();
        var answers = new Dictionary<string, Dictionary<string, object?>>();
        foreach (string method in KnownObjects.Names)
        {
            answers[method] = Measure(method, meters);
        }

        Console.WriteLine(JsonSerializer.Serialize(answers));
        return 0;
    }

    private static Dictionary<string, object?> Measure(string method, ProcessMeters meters)
    {
        using LabCase entry = KnownCase.Open(method, () => new KnownObjects(), meters);
        long before = Allocated(entry);
        ObjectCountPass.Measure(entry);
        bool stillSampling = AllocationSampler.IsSampling;
        long after = Allocated(entry);

        // Of a slow method only one invocation is measured, in which the runtime may have allocated something, before as well as after.
        for (int again = 0; again < 10 && after != before; again++)
        {
            long bytes = Allocated(entry);
            (before, after) = (Math.Min(before, bytes), Math.Min(after, bytes));
        }

        return new Dictionary<string, object?>
        {
            ["objects"] = entry.Objects?.Objects,
            ["stdDev"] = entry.Objects?.StdDev,
            ["reason"] = entry.NoObjectsReason,
            ["stillSampling"] = stillSampling,
            ["bytesBefore"] = before,
            ["bytesAfter"] = after,
        };
    }

    // The least of all invocations: in some of them the runtime's own threads allocate a little, on a busy machine in all.
    private static long Allocated(LabCase entry)
    {
        entry.Allocations.Clear();
        AllocationPass.Measure(entry);
        AllocationSample least = entry.Allocations.MinBy(sample => sample.Bytes);
        entry.Allocations.Clear();
        entry.Allocations.Add(least);
        return least.Bytes;
    }
}

using System.Text.Json;
using Millrace.Lab.Data;
using Millrace.Lab.Meters;
using Millrace.Lab.Results;
using Millrace.Lab.Running;
using Millrace.Lab.Suites.Files;

namespace Millrace.Lab.Tests.Child;

/// <summary>Lets the laboratory count the objects of known loads and prints what it says, as JSON.</summary>
internal static class MeasuredObjects
{
    private const int WarmUps = 5;

    public static int Print()
    {
        using var meters = new ProcessMeters();
        var catalog = BenchmarkCatalog.Of(typeof(KnownObjects));
        var answers = new Dictionary<string, Dictionary<string, object?>>();
        foreach (string method in catalog.Methods)
        {
            answers[method] = Measure(catalog, method, meters);
        }

        Console.WriteLine(JsonSerializer.Serialize(answers));
        return 0;
    }

    private static Dictionary<string, object?> Measure(BenchmarkCatalog catalog, string method, ProcessMeters meters)
    {
        var labCase = new LabCase(
            plan: 0,
            method,
            role: null,
            catalog.Create(method, new Dictionary<string, object> { [nameof(KnownObjects.Value)] = 0 }),
            new CaseParameters());
        using var entry = new CaseEngineOf(labCase, new CaseEngine(labCase, NoCachePreparation.Instance, meters));
        for (int i = 0; i < WarmUps; i++)
        {
            labCase.ExpectedNs = entry.Engine.Measure(round: -1).WallNs;
        }

        long before = Allocated(entry);
        ObjectCountPass.Measure(entry);
        bool stillSampling = AllocationSampler.IsSampling;
        return new Dictionary<string, object?>
        {
            ["objects"] = labCase.Objects?.Objects,
            ["stdDev"] = labCase.Objects?.StdDev,
            ["reason"] = labCase.NoObjectsReason,
            ["stillSampling"] = stillSampling,
            ["bytesBefore"] = before,
            ["bytesAfter"] = Allocated(entry),
        };
    }

    // The least of all invocations: in some of them the runtime's own threads allocate a little.
    private static long Allocated(CaseEngineOf entry)
    {
        entry.Case.Allocations.Clear();
        AllocationPass.Measure(entry);
        AllocationSample least = entry.Case.Allocations.MinBy(sample => sample.Bytes);
        entry.Case.Allocations.Clear();
        entry.Case.Allocations.Add(least);
        return least.Bytes;
    }
}

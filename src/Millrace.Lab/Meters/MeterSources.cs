namespace Millrace.Lab.Meters;

/// <summary>Says where numbers come from, and why some are missing, by the names of the lists of samples.</summary>
internal static class MeterSources
{
    /// <summary>The meter that may be missing for a single case.</summary>
    public const string AllocatedObjects = "allocatedObjects";

    private static readonly string[] Usage = ["minorFaults", "majorFaults", "voluntarySwitches", "involuntarySwitches"];
    private static readonly string[] Io =
    [
        "logicalReadBytes", "physicalReadBytes", "readCalls", "logicalWriteBytes", "physicalWriteBytes", "writeCalls",
    ];

    private static readonly string[] IoFields = ["rchar", "read_bytes", "syscr", "wchar", "write_bytes", "syscw"];

    /// <summary>The meters of the runtime of .NET.</summary>
    public static IReadOnlyList<string> Managed { get; } = ["allocatedBytes", AllocatedObjects];

    /// <summary>The meters that cover only this process, which are meaningless when another process does the work.</summary>
    public static IReadOnlyList<string> OwnOnly { get; } = [.. Managed, "systemCalls", .. Usage, .. Io];

    /// <summary>The meters that this process has, and a server where one was asked.</summary>
    public static IReadOnlyDictionary<string, string> Of(
        ProcessMeters meters, SystemCallPass calls, bool withLargeObjects, bool withServer)
    {
        var sources = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            ["wallNs"] = "Stopwatch, one invocation per sample",
            ["userCpuNs"] = ProcessMeters.CpuSource,
            ["systemCpuNs"] = ProcessMeters.CpuSource,
            ["allocatedBytes"] = "GC.GetTotalAllocatedBytes, exact, in a separate pass",
            [AllocatedObjects] = ObjectCountPass.Source,
            ["callingThreadNs"] = "Stopwatch around every call that reads, without awaits; cold cases only",
        };
        if (meters.UsageReason is null)
        {
            foreach (string name in Usage)
            {
                sources[name] = "getrusage, the whole process";
            }
        }

        if (meters.IoReason is null)
        {
            foreach ((string name, string field) in Io.Zip(IoFields))
            {
                sources[name] = $"{field} of /proc/self/io, the whole process";
            }
        }

        if (calls.Source is { } source)
        {
            sources["systemCalls"] = source + ", in a separate pass";
        }

        if (OperatingSystem.IsLinux())
        {
            sources["peakResidentBytes"] = PeakMemory.Source + ", in a separate process";
            sources["peakOverIdleBytes"] = PeakMemory.Source + ", less VmRSS before the case";
        }

        if (withLargeObjects)
        {
            sources["largeObjectBytes"] = LargeObjects.Source;
        }

        if (withServer && withLargeObjects)
        {
            sources["serverLargeObjectBytes"] = LargeObjects.Source + " of the server's process";
        }

        if (withServer)
        {
            sources["serverCpuNs"] = ProcessMeters.CpuSource + " of the server, which is asked for it";
            sources["serverAllocatedBytes"] = "GC.GetTotalAllocatedBytes of the server's process, exact";
            sources["serverGen2"] = "GC.CollectionCount of the server's process";
            if (OperatingSystem.IsLinux())
            {
                sources["serverPeakResidentBytes"] = PeakMemory.Source + ", of the server's process";
            }
        }

        return sources;
    }

    public static IReadOnlyDictionary<string, string> Missing(ProcessMeters meters, SystemCallPass calls)
    {
        var missing = new SortedDictionary<string, string>(StringComparer.Ordinal);
        AddAll(Usage, meters.UsageReason);
        AddAll(Io, meters.IoReason);
        AddAll(["systemCalls"], calls.Reason);
        return missing;

        void AddAll(IEnumerable<string> names, string? reason)
        {
            foreach (string name in reason is null ? [] : names)
            {
                missing[name] = reason!;
            }
        }
    }
}

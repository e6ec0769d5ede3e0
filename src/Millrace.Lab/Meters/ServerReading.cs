namespace Millrace.Lab.Meters;

/// <summary>A server process' answer about its own usage.</summary>
internal sealed record ServerReading
{
    /// <summary>Processor time since it began, nanoseconds.</summary>
    public long CpuNs { get; init; }

    /// <summary>Managed bytes since it began, all threads; null of a program that has none.</summary>
    public long? AllocatedBytes { get; init; }

    /// <summary>Collections of generation 2 since it began; null of a program that has none.</summary>
    public long? Gen2 { get; init; }

    /// <summary>Largest resident memory since the last reset; null where the system does not report it.</summary>
    public long? PeakResidentBytes { get; init; }

    [SupportedOSPlatform("linux")]
    public static ServerReading Take(int process, bool resets)
    {
        var reading = new ServerReading
        {
            CpuNs = ProcessClock.Read(process),
            PeakResidentBytes = PeakMemory.ReadPeak(process),
        };
        if (resets)
        {
            PeakMemory.Reset(process);
        }

        return reading;
    }

    public static ServerReading Take(ProcessMeters meters, bool resets)
    {
        ProcessCounters used = meters.ReadAfter();
        var reading = new ServerReading
        {
            CpuNs = used.UserCpuNs + used.SystemCpuNs,
            Gen2 = GC.CollectionCount(2),
            PeakResidentBytes = OperatingSystem.IsLinux() ? PeakMemory.ReadPeak() : null,
        };
        if (resets && OperatingSystem.IsLinux())
        {
            PeakMemory.Reset();
        }

        // Last: what reading the others allocates is not the next transfer's.
        return reading with { AllocatedBytes = GC.GetTotalAllocatedBytes(precise: true) };
    }
}

/// <summary>A server process' usage between two readings.</summary>
internal readonly record struct ServerUse(long CpuNs, long? AllocatedBytes, long? Gen2, long? PeakResidentBytes)
{
    public static ServerUse Between(ServerReading before, ServerReading after) => new(
        after.CpuNs - before.CpuNs,
        after.AllocatedBytes - before.AllocatedBytes,
        after.Gen2 - before.Gen2,
        after.PeakResidentBytes);
}

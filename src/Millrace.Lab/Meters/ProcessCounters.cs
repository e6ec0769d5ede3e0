namespace Millrace.Lab.Meters;

/// <summary>Counters of a process, since its start or between two readings. Fields of meters that this system lacks are 0.</summary>
internal readonly record struct ProcessCounters
{
    public long UserCpuNs { get; init; }
    public long SystemCpuNs { get; init; }
    public long MinorFaults { get; init; }
    public long MajorFaults { get; init; }

    /// <summary>How often a thread gave the processor up.</summary>
    public long VoluntarySwitches { get; init; }

    /// <summary>How often a thread lost it.</summary>
    public long InvoluntarySwitches { get; init; }

    /// <summary>Bytes that reading calls returned.</summary>
    public long LogicalReadBytes { get; init; }

    /// <summary>Bytes that came from a disk.</summary>
    public long PhysicalReadBytes { get; init; }
    public long ReadCalls { get; init; }

    /// <summary>Bytes that writing calls took.</summary>
    public long LogicalWriteBytes { get; init; }

    /// <summary>Bytes that this process made the kernel owe a disk.</summary>
    public long PhysicalWriteBytes { get; init; }
    public long WriteCalls { get; init; }

    public static ProcessCounters operator -(in ProcessCounters after, in ProcessCounters before) => new()
    {
        UserCpuNs = after.UserCpuNs - before.UserCpuNs,
        SystemCpuNs = after.SystemCpuNs - before.SystemCpuNs,
        MinorFaults = after.MinorFaults - before.MinorFaults,
        MajorFaults = after.MajorFaults - before.MajorFaults,
        VoluntarySwitches = after.VoluntarySwitches - before.VoluntarySwitches,
        InvoluntarySwitches = after.InvoluntarySwitches - before.InvoluntarySwitches,
        LogicalReadBytes = after.LogicalReadBytes - before.LogicalReadBytes,
        PhysicalReadBytes = after.PhysicalReadBytes - before.PhysicalReadBytes,
        ReadCalls = after.ReadCalls - before.ReadCalls,
        LogicalWriteBytes = after.LogicalWriteBytes - before.LogicalWriteBytes,
        PhysicalWriteBytes = after.PhysicalWriteBytes - before.PhysicalWriteBytes,
        WriteCalls = after.WriteCalls - before.WriteCalls,
    };
}

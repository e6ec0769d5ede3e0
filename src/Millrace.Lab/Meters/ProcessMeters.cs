namespace Millrace.Lab.Meters;

/// <summary>
/// The meters that are read right before and right after every measured invocation: together they take a few
/// microseconds, outside the measured time. Not thread-safe.
/// </summary>
internal sealed class ProcessMeters : IDisposable
{
    private const string OnlyLinux = "only on Linux (getrusage, /proc/self/io)";

    private readonly IoAccounting? _io;

    public ProcessMeters()
    {
        if (OperatingSystem.IsLinux())
        {
            _io = IoAccounting.TryOpen(out string? reason);
            IoReason = reason;
        }
        else
        {
            IoReason = UsageReason = OnlyLinux;
        }
    }

    /// <summary>Why page faults and context switches are missing; null when they are not.</summary>
    public string? UsageReason { get; }

    /// <summary>Why bytes and reading calls are not counted; null when they are.</summary>
    public string? IoReason { get; }

    public static string CpuSource => OperatingSystem.IsLinux() ? "getrusage, the whole process" : "Environment.CpuUsage, the whole process";

    public ProcessCounters ReadBefore()
    {
        // The processor's time last: reading the rest is not the invocation's work.
        ProcessCounters io = ReadIo(default, out int ownBytes);
        return ReadUsage(io with
        {
            LogicalReadBytes = io.LogicalReadBytes + ownBytes,
            ReadCalls = io.ReadCalls + (ownBytes > 0 ? 1 : 0),
        });
    }

    public ProcessCounters ReadAfter() => ReadIo(ReadUsage(default), out _);

    public void Dispose()
    {
        if (OperatingSystem.IsLinux())
        {
            _io?.Dispose();
        }
    }

    private ProcessCounters ReadIo(in ProcessCounters others, out int ownBytes)
    {
        ownBytes = 0;
        return _io is null || !OperatingSystem.IsLinux() ? others : _io.Read(others, out ownBytes);
    }

    private static ProcessCounters ReadUsage(in ProcessCounters others)
    {
        if (!OperatingSystem.IsLinux())
        {
            Environment.ProcessCpuUsage cpu = Environment.CpuUsage;
            return others with
            {
                UserCpuNs = cpu.UserTime.Ticks * TimeSpan.NanosecondsPerTick,
                SystemCpuNs = cpu.PrivilegedTime.Ticks * TimeSpan.NanosecondsPerTick,
            };
        }

        ResourceUsage.Read(out ResourceUsage.Usage usage);
        return others with
        {
            UserCpuNs = Nanoseconds(usage.UserSeconds, usage.UserMicroseconds),
            SystemCpuNs = Nanoseconds(usage.SystemSeconds, usage.SystemMicroseconds),
            MinorFaults = usage.MinorFaults,
            MajorFaults = usage.MajorFaults,
            VoluntarySwitches = usage.VoluntarySwitches,
            InvoluntarySwitches = usage.InvoluntarySwitches,
        };
    }

    private static long Nanoseconds(long seconds, long microseconds) =>
        (seconds * 1_000_000_000) + (microseconds * 1_000);
}

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

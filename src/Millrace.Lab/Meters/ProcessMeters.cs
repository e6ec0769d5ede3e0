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

using Millrace.Lab.Interop;

namespace Millrace.Lab.Meters;

/// <summary>
/// The meters that are read right before and right after every measured invocation: together they take a few
/// microseconds, outside the measured time. Not thread-safe.
/// </summary>
internal sealed class ProcessMeters : IDisposable
{
    private const string OnlyLinux = "only Linux tells (getrusage, /proc/self/io)";

    private readonly IoAccounting? _io;

    /// <summary>Opens what this system has.</summary>
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

    /// <summary>Why there are no page faults and context switches; null when there are.</summary>
    public string? UsageReason { get; }

    /// <summary>Why there are no counts of bytes and of reading calls; null when there are.</summary>
    public string? IoReason { get; }

    /// <summary>Where processor times come from.</summary>
    public static string CpuSource => OperatingSystem.IsLinux() ? "getrusage, the whole process" : "Environment.CpuUsage, the whole process";

    /// <summary>Reads before an invocation.</summary>
    public ProcessCounters ReadBefore()
    {
        // The processor's time last: reading the rest is not the invocation's work.
        ProcessCounters io = ReadIo(out int ownBytes, out int ownCalls);
        return ReadUsage(io with
        {
            LogicalReadBytes = io.LogicalReadBytes + ownBytes,
            ReadCalls = io.ReadCalls + ownCalls,
        });
    }

    /// <summary>Reads after an invocation.</summary>
    public ProcessCounters ReadAfter()
    {
        ProcessCounters usage = ReadUsage(default);
        ProcessCounters io = ReadIo(out _, out _);
        return usage with
        {
            LogicalReadBytes = io.LogicalReadBytes,
            PhysicalReadBytes = io.PhysicalReadBytes,
            ReadCalls = io.ReadCalls,
        };
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (OperatingSystem.IsLinux())
        {
            _io?.Dispose();
        }
    }

    private ProcessCounters ReadIo(out int ownBytes, out int ownCalls)
    {
        ownBytes = ownCalls = 0;
        if (_io is null || !OperatingSystem.IsLinux())
        {
            return default;
        }

        IoAccounting.Counts counts = _io.Read();
        ownBytes = counts.OwnBytes;
        ownCalls = 1;
        return new ProcessCounters
        {
            LogicalReadBytes = counts.LogicalReadBytes,
            PhysicalReadBytes = counts.PhysicalReadBytes,
            ReadCalls = counts.ReadCalls,
        };
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

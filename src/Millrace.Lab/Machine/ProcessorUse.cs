namespace Millrace.Lab.Machine;

/// <summary>Processor time since the system started, in its own clock ticks: proc_stat(5), proc_pid_stat(5).</summary>
/// <param name="All">Of all processors, idle or not.</param>
/// <param name="Others">Used by processes that are neither the laboratory nor started by it.</param>
internal readonly record struct ProcessorUse(long All, long Others)
{
    /// <summary>USER_HZ, in which the kernel counts for programs on every architecture of .NET.</summary>
    public const int TicksPerSecond = 100;

    // PF_KTHREAD of the kernel's sched.h: such a thread writes back and frees memory for the measured process.
    private const long KernelThread = 0x00200000;

    // Of less, the errors of the ticks would be a large part.
    private const int MinTicks = 100;

    // The fields of /proc/stat's first line; guest time, which follows, is part of the user time.
    private const int UserTime = 0;
    private const int NiceTime = 1;
    private const int SystemTime = 2;
    private const int TimesOfAll = 8;

    // The fields of /proc/PID/stat from the one after the name, which may contain anything.
    private const int Parent = 1;
    private const int Flags = 6;
    private const int FirstTime = 11;
    private const int Times = 4;

    /// <summary>The part of all processors' time that others used, to four digits; null after less than a second.</summary>
    public double? OthersShare => All >= MinTicks ? Math.Round(Math.Clamp((double)Others / All, 0, 1), 4) : null;

    public static ProcessorUse operator +(ProcessorUse one, ProcessorUse other) => new(one.All + other.All, one.Others + other.Others);

    public static ProcessorUse operator -(ProcessorUse later, ProcessorUse earlier) =>
        new(later.All - earlier.All, later.Others - earlier.Others);

    /// <param name="laboratory">The process that started all others of the laboratory.</param>
    /// <returns>Null where the system has no such figures.</returns>
    public static ProcessorUse? Read(int laboratory, string folder = "/proc")
    {
        string[] line = Fields(MachineInspector.ReadAll(Path.Combine(folder, "stat"))?.Split('\n')[0] ?? "");
        if (line is not ["cpu", _, _, _, _, ..])
        {
            return null;
        }

        long[] times = [.. line.Skip(1).Take(TimesOfAll).Select(Number)];
        Dictionary<int, (int Parent, long Time, bool IsKernel)> processes = Processes(folder);
        long own = processes.Where(process => process.Value.IsKernel || IsOwn(process.Key)).Sum(process => process.Value.Time);
        return new ProcessorUse(times.Sum(), times[UserTime] + times[NiceTime] + times[SystemTime] - own);

        bool IsOwn(int process)
        {
            // A parent that ended and a new process with its number could make a circle of them.
            for (int steps = 0; steps <= processes.Count; steps++)
            {
                if (process == laboratory)
                {
                    return true;
                }

                if (!processes.TryGetValue(process, out (int Parent, long Time, bool IsKernel) found))
                {
                    return false;
                }

                process = found.Parent;
            }

            return false;
        }
    }

    // With the time of the children that have ended, which their parents keep.
    private static Dictionary<int, (int Parent, long Time, bool IsKernel)> Processes(string folder)
    {
        var processes = new Dictionary<int, (int, long, bool)>();
        foreach (string path in Directory.EnumerateDirectories(folder))
        {
            string[] fields = int.TryParse(Path.GetFileName(path), CultureInfo.InvariantCulture, out int process)
                && MachineInspector.ReadAll(Path.Combine(path, "stat")) is { } text
                ? Fields(text[(text.LastIndexOf(')') + 1)..])
                : [];
            if (fields.Length >= FirstTime + Times)
            {
                processes[process] = (
                    (int)Number(fields[Parent]),
                    fields.Skip(FirstTime).Take(Times).Sum(Number),
                    (Number(fields[Flags]) & KernelThread) != 0);
            }
        }

        return processes;
    }

    private static string[] Fields(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static long Number(string text) => long.TryParse(text, CultureInfo.InvariantCulture, out long number) ? number : 0;
}

namespace Millrace.Lab.Machine;

/// <summary>Waits until other programs, for example the build before the first run, leave the processors to the laboratory.</summary>
internal static class IdleMachine
{
    /// <summary>The part of all processors' time that others may use.</summary>
    public const double BusyPart = 0.25;

    /// <summary>After this time the measurement starts anyway: some machines are always busy.</summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(10);

    // More than the ticks that the share needs, on one processor too.
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1.2);

    // A share of one processor; programs that use less are not named.
    private const double NamedShare = 0.1;
    private const int MaxNamed = 3;

    /// <summary>Waits until one look finds the machine idle, up to <see cref="Longest"/>.</summary>
    /// <param name="isBusy">Called once, before the wait, with the busiest programs and the processors that each uses.</param>
    /// <param name="stop">Ends the wait.</param>
    /// <returns>Whether it is idle, or cannot be known.</returns>
    public static bool Wait(Action<IReadOnlyList<(string Name, double Processors)>> isBusy, CancellationToken stop) =>
        Wait(isBusy, () => stop.WaitHandle.WaitOne(Look), Environment.ProcessId);

    /// <param name="isBusy">Called with the programs that run.</param>
    /// <param name="pause">Waits for a look; returns whether the whole wait is to end.</param>
    /// <param name="laboratory">The process that does not count, nor those that it started.</param>
    /// <param name="folder">Where the system has its figures.</param>
    internal static bool Wait(
        Action<IReadOnlyList<(string Name, double Processors)>> isBusy, Func<bool> pause, int laboratory, string folder = "/proc")
    {
        bool isTold = false;
        for (TimeSpan waited = default; ; waited += Look)
        {
            ProcessorUse? before = ProcessorUse.Read(laboratory, folder);
            Dictionary<int, (string Name, long Ticks)> programs = Programs(laboratory, folder);
            if (before is null || pause() || (ProcessorUse.Read(laboratory, folder) - before)?.OthersShare is not { } share || share <= BusyPart)
            {
                return true;
            }

            if (waited + Look >= Longest)
            {
                return false;
            }

            if (!isTold)
            {
                isTold = true;
                isBusy(Busiest(programs, Programs(laboratory, folder)));
            }
        }
    }

    private static List<(string Name, double Processors)> Busiest(
        Dictionary<int, (string Name, long Ticks)> before, Dictionary<int, (string Name, long Ticks)> after) =>
        [.. after
            .Select(one => (one.Value.Name, Ticks: one.Value.Ticks - before.GetValueOrDefault(one.Key).Ticks))
            .GroupBy(static one => one.Name, StringComparer.Ordinal)
            .Select(static group => (group.Key, Processors: group.Sum(static one => one.Ticks) / (ProcessorUse.TicksPerSecond * Look.TotalSeconds)))
            .Where(static one => one.Processors >= NamedShare)
            .OrderByDescending(static one => one.Processors)
            .Take(MaxNamed)];

    // Without the time of children that have ended, which their parents have.
    private static Dictionary<int, (string Name, long Ticks)> Programs(int laboratory, string folder)
    {
        var programs = new Dictionary<int, (string, long)>();
        foreach (string path in Directory.Exists(folder) ? Directory.EnumerateDirectories(folder) : [])
        {
            if (int.TryParse(Path.GetFileName(path), CultureInfo.InvariantCulture, out int process) && process != laboratory
                && MachineInspector.ReadAll(Path.Combine(path, "stat")) is { } text
                && text.IndexOf('(', StringComparison.Ordinal) is >= 0 and var open && text.LastIndexOf(')') is var close && close > open
                && text[(close + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries) is { Length: > 12 } fields
                && long.TryParse(fields[11], CultureInfo.InvariantCulture, out long user)
                && long.TryParse(fields[12], CultureInfo.InvariantCulture, out long system))
            {
                programs[process] = (string.Concat(text[(open + 1)..close].Where(static letter => !char.IsControl(letter))), user + system);
            }
        }

        return programs;
    }
}

using System.Runtime;

namespace Millrace.Lab.Machine;

internal static class MachineInspector
{
    private const string GovernorFile = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    private const string LoadFile = "/proc/loadavg";
    private const string VulnerabilitiesFolder = "/sys/devices/system/cpu/vulnerabilities";
    private const string CacheFolder = "/sys/devices/system/cpu/cpu0/cache";
    private const string HugePagesFile = "/sys/kernel/mm/transparent_hugepage/enabled";
    private const string NotAffected = "Not affected";
    private const string KernelFile = "/proc/sys/kernel/osrelease";

    public static MachineFacts Inspect(string dataPath)
    {
        var processor = ProcessorInfo.Read();
        MountInfo mount = MountInfo.Of(dataPath);
        return new MachineFacts
        {
            Cpu = processor.Name,
            Cores = Environment.ProcessorCount,
            MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            Os = RuntimeInformation.OSDescription,
            Kernel = FirstLine(KernelFile) ?? Environment.OSVersion.VersionString,
            Architecture = RuntimeInformation.ProcessArchitecture.ToString(),
            Runtime = RuntimeInformation.FrameworkDescription,
            GarbageCollector = (GCSettings.IsServerGC ? "server" : "workstation")
                + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "" : ", concurrent"),
            FileSystem = mount.Options.Length == 0 ? mount.Type : $"{mount.Type} ({mount.Options})",
            Hypervisor = processor.Hypervisor,
            Governor = FirstLine(GovernorFile),
            Container = Virtualization.Container(),
            Mitigations = Mitigations(),
            PhysicalCores = processor.PhysicalCores,
            CacheBytes = LastLevelCache(),
            HugePages = Chosen(FirstLine(HugePagesFile)),
            LoadAverage = LoadAverage(),
        };
    }

    /// <summary>How many processes wanted a processor in the last minute; null where the system does not say.</summary>
    public static double? LoadAverage() => double.TryParse(
        FirstLine(LoadFile)?.Split(' ')[0], CultureInfo.InvariantCulture, out double load) ? load : null;

    /// <summary>Settings of the runtime that change how code is compiled or memory collected, as the user set them.</summary>
    public static IReadOnlyDictionary<string, string> RuntimeSettings()
    {
        var settings = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (System.Collections.DictionaryEntry variable in Environment.GetEnvironmentVariables())
        {
            string name = (string)variable.Key;
            string[] telling =
                ["Tiered", "TC_", "OSR", "ReadyToRun", "PGO", "GC", "JIT", "Jit", "Enable", "ThreadPool", "SYSTEM_BUFFERS"];
            if ((name.StartsWith("DOTNET_", StringComparison.Ordinal)
                    && telling.Any(part => name.Contains(part, StringComparison.Ordinal)))
                || name.StartsWith("MILLRACE_", StringComparison.Ordinal))
            {
                settings[name] = variable.Value?.ToString() ?? "";
            }
        }

        return settings;
    }

    // One file a flaw, with its mitigation in a line.
    private static string? Mitigations()
    {
        if (!Directory.Exists(VulnerabilitiesFolder))
        {
            return null;
        }

        string[] flaws =
        [
            .. from path in Directory.GetFiles(VulnerabilitiesFolder).Order(StringComparer.Ordinal)
               let measure = FirstLine(path)
               where measure is not null && measure != NotAffected
               select $"{Path.GetFileName(path)}: {measure.Replace("Mitigation: ", "", StringComparison.Ordinal)}",
        ];
        return flaws.Length == 0 ? "none needed" : string.Join("; ", flaws);
    }

    // Of the highest level that the first processor has, for example "32768K".
    private static long? LastLevelCache()
    {
        if (!Directory.Exists(CacheFolder))
        {
            return null;
        }

        string? size = Directory.GetDirectories(CacheFolder, "index*")
            .OrderByDescending(folder => FirstLine(Path.Combine(folder, "level")), StringComparer.Ordinal)
            .Select(folder => FirstLine(Path.Combine(folder, "size")))
            .FirstOrDefault();
        return size is not null && long.TryParse(size.TrimEnd('K'), CultureInfo.InvariantCulture, out long number)
            ? number * ByteSize.KiB
            : null;
    }

    // "always [madvise] never": the one in brackets.
    private static string? Chosen(string? choices)
    {
        int start = choices?.IndexOf('[', StringComparison.Ordinal) ?? -1;
        int end = choices?.IndexOf(']', StringComparison.Ordinal) ?? -1;
        return start >= 0 && end > start ? choices![(start + 1)..end] : null;
    }

    private static string? FirstLine(string path) => ReadAll(path)?.Split('\n')[0];

    /// <returns>Null where there is no such file, or it is not readable.</returns>
    public static string? ReadAll(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path) : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}

internal static class Virtualization
{
    // Set by .NET's own images, by systemd-nspawn and by podman.
    private static readonly string[] Variables = ["DOTNET_RUNNING_IN_CONTAINER", "container"];

    // Files that container engines put into the root, and parts of the names of their control groups.
    private static readonly (string File, string Name)[] Marks = [("/.dockerenv", "docker"), ("/run/.containerenv", "podman")];
    private static readonly string[] ControlGroups = ["docker", "kubepods", "libpod", "lxc", "containerd"];

    /// <summary>The container's kind where it shows itself; null where nothing does.</summary>
    public static string? Container()
    {
        foreach ((string file, string name) in Marks)
        {
            if (File.Exists(file))
            {
                return name;
            }
        }

        string groups = MachineInspector.ReadAll("/proc/self/cgroup") ?? "";
        string? group = Array.Find(ControlGroups, name => groups.Contains(name, StringComparison.Ordinal));
        return group ?? (Array.Exists(Variables, name => Environment.GetEnvironmentVariable(name) is { Length: > 0 })
            ? "unknown kind"
            : null);
    }
}

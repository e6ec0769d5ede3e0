using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Environments;
using Millrace.Lab.Results;

namespace Millrace.Lab.Machine;

/// <summary>Describes the machine that it runs on.</summary>
internal static class MachineInspector
{
    private const string GovernorFile = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
    private const string LoadFile = "/proc/loadavg";
    private const string KernelFile = "/proc/sys/kernel/osrelease";

    /// <summary>Describes it.</summary>
    /// <param name="dataPath">A path on the file system that matters.</param>
    public static MachineFacts Inspect(string dataPath)
    {
        HostEnvironmentInfo host = HostEnvironmentInfo.GetCurrent();
        MountInfo mount = MountInfo.Of(dataPath);
        return new MachineFacts
        {
            Cpu = host.CpuInfo.Value?.ProcessorName ?? "unknown",
            Cores = Environment.ProcessorCount,
            MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            Os = RuntimeInformation.OSDescription,
            Kernel = FirstLine(KernelFile) ?? Environment.OSVersion.VersionString,
            Architecture = RuntimeInformation.ProcessArchitecture.ToString(),
            Runtime = RuntimeInformation.FrameworkDescription,
            GarbageCollector = (GCSettings.IsServerGC ? "server" : "workstation")
                + (GCSettings.LatencyMode == GCLatencyMode.Batch ? "" : ", concurrent"),
            FileSystem = mount.Options.Length == 0 ? mount.Type : $"{mount.Type} ({mount.Options})",
            Hypervisor = host.VirtualMachineHypervisor.Value?.Name,
            Governor = FirstLine(GovernorFile),
            LoadAverage = double.TryParse(
                FirstLine(LoadFile)?.Split(' ')[0], CultureInfo.InvariantCulture, out double load) ? load : null,
        };
    }

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

    private static string? FirstLine(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadLines(path).FirstOrDefault() : null;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}

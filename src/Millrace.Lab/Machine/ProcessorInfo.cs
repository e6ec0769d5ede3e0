using Microsoft.Win32;

namespace Millrace.Lab.Machine;

/// <summary>The processor as the system names it, and what shows that it is a virtual one.</summary>
/// <param name="PhysicalCores">Null where the system does not say.</param>
/// <param name="Hypervisor">For example "VMware"; null when nothing shows one.</param>
internal sealed record ProcessorInfo(string Name, int? PhysicalCores, string? Hypervisor)
{
    private const string CpuFile = "/proc/cpuinfo";

    public static ProcessorInfo Read() =>
        OperatingSystem.IsWindows() ? OnWindows()
        : OperatingSystem.IsMacOS() ? OnMacOS()
        : File.Exists(CpuFile) ? Parse(File.ReadLines(CpuFile))
        : new ProcessorInfo("unknown", null, null);

    /// <summary>Reads what proc_cpuinfo(5) describes: a paragraph for each logical processor.</summary>
    public static ProcessorInfo Parse(IEnumerable<string> lines)
    {
        var names = new List<string>();
        var coresOfPackages = new Dictionary<string, int>(StringComparer.Ordinal);
        string package = "";
        foreach (string[] pair in lines.Select(line => line.Split(':', 2, StringSplitOptions.TrimEntries)))
        {
            switch (pair[0])
            {
                case "model name" when !names.Contains(pair[1]):
                    names.Add(pair[1]);
                    break;
                case "physical id":
                    package = pair[1];
                    break;
                case "cpu cores":
                    coresOfPackages[package] = int.Parse(pair[1], CultureInfo.InvariantCulture);
                    break;
            }
        }

        return new ProcessorInfo(
            names.Count == 0 ? "unknown" : string.Join(", ", names),
            coresOfPackages.Count == 0 ? null : coresOfPackages.Values.Sum(),
            Hypervisor: null);
    }

    [SupportedOSPlatform("windows")]
    private static ProcessorInfo OnWindows()
    {
        const string Hardware = @"HKEY_LOCAL_MACHINE\HARDWARE\DESCRIPTION\System\";
        string product = $"{Read("BIOS", "SystemManufacturer")} {Read("BIOS", "SystemProductName")}";
        string? hypervisor = product.Contains("VMware", StringComparison.Ordinal) ? "VMware"
            : product.Contains("VirtualBox", StringComparison.Ordinal) ? "VirtualBox"
            : product.Contains("Microsoft Corporation Virtual", StringComparison.Ordinal) ? "Hyper-V"
            : null;
        return new ProcessorInfo(
            Read(@"CentralProcessor\0", "ProcessorNameString")?.Trim() ?? "unknown", PhysicalCores: null, hypervisor);

        static string? Read(string key, string value) => Registry.GetValue(Hardware + key, value, null) as string;
    }

    private static ProcessorInfo OnMacOS()
    {
        using Process process = Process.Start(
            new ProcessStartInfo("sysctl", ["-n", "machdep.cpu.brand_string", "hw.physicalcpu"])
            {
                RedirectStandardOutput = true,
                UseShellExecute = false,
            })!;
        string[] lines = process.StandardOutput.ReadToEnd().Split('\n');
        process.WaitForExit();
        return new ProcessorInfo(
            lines[0].Length == 0 ? "unknown" : lines[0],
            lines.Length > 1 && int.TryParse(lines[1], CultureInfo.InvariantCulture, out int cores) ? cores : null,
            Hypervisor: null);
    }
}

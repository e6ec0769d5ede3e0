using System.Reflection;

namespace Millrace.Lab.Machine;

internal static class BuildFacts
{
    public static string Version { get; } = VersionOf(typeof(FilePipe).Assembly);

    private static bool IsOptimised { get; } =
        new[] { typeof(FilePipe).Assembly, typeof(BuildFacts).Assembly }.All(
            assembly => assembly.GetCustomAttribute<DebuggableAttribute>() is not { IsJITOptimizerDisabled: true });

    public static IEnumerable<string> Warnings()
    {
        if (!IsOptimised)
        {
            yield return "This is a Debug build: do not rely on its times. Run ./millrace, which builds Release.";
        }

        if (Debugger.IsAttached)
        {
            yield return "A debugger is attached: code is not optimised. Run without it.";
        }
    }

    public static EngineFacts Engine(WarmUpResult warmUp) => new()
    {
        Name = $"Millrace.Lab {VersionOf(typeof(BuildFacts).Assembly)}",
        Millrace = Version,
        Build = IsOptimised ? "Release" : "Debug",
        WarmUpPhases = warmUp.Phases,
        WarmUpCalls = warmUp.CallsPerMethod,
        CompilerQuiet = warmUp.CompilerQuiet,
        RuntimeSettings = MachineInspector.RuntimeSettings(),
    };

    private static string VersionOf(Assembly assembly)
    {
        string version = assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion
            ?? assembly.GetName().Version?.ToString() ?? "unknown";

        // After a plus sign comes the commit.
        return version.Split('+')[0];
    }
}
